from __future__ import annotations

import gzip
import random
import zlib

import pytest

from hypursuit.crawl.inflate import BadEncoding, Inflater, TooLarge, gunzip

BODY = b"".join(b"line %d of a body that is compressed\n" % number for number in range(2000))


def inflated(encoding: str, sent: bytes, limit: int = 10**6, chunk: int = 1000) -> bytes:
    inflater = Inflater(encoding, limit)
    for start in range(0, len(sent), chunk):
        inflater.feed(sent[start : start + chunk])
    return inflater.finish()


@pytest.mark.parametrize("chunk", [1, 7, 1000, 10**6])
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("", bytes),
        ("identity", bytes),
        ("gzip", gzip.compress),
        ("X-GZip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body, wbits=-15)),
    ],
)
def test_bodies_come_out_whole_however_they_are_cut(encoding: str, pack: object, chunk: int) -> None:
    assert inflated(encoding, pack(BODY), chunk=chunk) == BODY  # type: ignore[operator]


def test_several_members_are_one_body_and_padding_is_ignored() -> None:
    two = gzip.compress(b"first, ") + gzip.compress(b"second")

    assert inflated("gzip", two, chunk=5) == b"first, second"
    assert inflated("gzip", two + b"\0" * 512, chunk=10**6) == b"first, second"


@pytest.mark.parametrize("limit", [1, 1000, len(BODY) - 1])
@pytest.mark.parametrize(("encoding", "pack"), [("", bytes), ("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_the_limit_holds_after_decompression(encoding: str, pack: object, limit: int) -> None:
    with pytest.raises(TooLarge):
        inflated(encoding, pack(BODY), limit)  # type: ignore[operator]


@pytest.mark.parametrize(("encoding", "pack"), [("", bytes), ("gzip", gzip.compress)])
def test_the_beginning_of_a_body_that_is_too_large_can_be_had(encoding: str, pack: object) -> None:
    inflater = Inflater(encoding, 5000)
    with pytest.raises(TooLarge):
        inflater.feed(pack(BODY))  # type: ignore[operator]

    assert inflater.beginning() == BODY[:5000]


def test_exactly_the_limit_is_allowed() -> None:
    assert inflated("gzip", gzip.compress(BODY), len(BODY)) == BODY


@pytest.mark.parametrize("sent", [b"not gzip", gzip.compress(BODY)[:-9], gzip.compress(BODY)[:20]])
def test_bodies_that_are_not_what_they_say_are_refused(sent: bytes) -> None:
    with pytest.raises(BadEncoding):
        gunzip(sent, 10**6)


def test_an_encoding_that_was_not_asked_for_is_refused() -> None:
    for encoding in ("br", "zstd", "gzip, gzip", "x" * 1000):
        with pytest.raises(BadEncoding):
            Inflater(encoding, 100)


def test_mutated_bodies_never_exceed_the_limit() -> None:
    chance = random.Random(5)
    sound = gzip.compress(BODY)
    for _ in range(300):
        damaged = bytearray(sound)
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            assert len(gunzip(bytes(damaged), 100_000)) <= 100_000
        except (BadEncoding, TooLarge):
            continue
