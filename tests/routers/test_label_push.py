"""Labels on their way up: whose they are, which are taken, and what becomes of them."""

from __future__ import annotations

import asyncio
import random
import resource
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from hypursuit.errors import LabelOutdated, LabelRefused
from hypursuit.label.parts import Host
from hypursuit.label.wire import encode
from routers.grant import Grant
from routers.interior_router import LABEL_LIMIT
from routers.sealed import read_sealed, write_sealed
from routers.wire import LABEL

if TYPE_CHECKING:
    from pathlib import Path

    from hypursuit.label.content import ContentLabel

TOKEN = "token of one.test"  # noqa: S105  of a test


async def planted(grove: Any) -> ContentLabel:
    """A root with two leaves; the first one's label."""
    grove.interior("root", grove.leaf("one.test"), grove.leaf("two.test"))
    await grove.grow()
    return grove.label_of(grove.routers["root"], "one.test")


async def put(grove: Any, body: bytes, child: str = "one.test", **headers: str) -> aiohttp.ClientResponse:
    named = {"Authorization": f"Bearer {TOKEN}", "Content-Type": LABEL} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    async with aiohttp.ClientSession() as session:
        url = f"{grove.routers['root'].url}/labels/{child}"
        async with session.put(url, data=body, headers={k: v for k, v in named.items() if v}) as response:
            await response.read()
            return response


async def test_a_newer_label_is_taken_kept_and_answers_with_its_etag(grove: Any) -> None:
    label = await planted(grove)
    newer = replace(label, version=label.version + 5)

    response = await put(grove, encode(newer))

    assert response.status == 200
    assert grove.label_of(grove.routers["root"], "one.test").version == label.version + 5
    again = await put(grove, encode(newer), If_Match=response.headers["ETag"])
    assert (again.status, again.headers["ETag"]) == (200, response.headers["ETag"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer token of two.test"}, 401),
        ({"Authorization": "Basic abc"}, 401),
        ({"child": "nobody.test"}, 401),
        ({"Content_Type": "application/json"}, 415),
        ({"Content_Encoding": "gzip"}, 415),
        ({"If_Match": '"another"'}, 412),
    ],
)
async def test_a_label_without_the_right_words_is_refused(grove: Any, headers: dict[str, str], status: int) -> None:
    label = await planted(grove)

    response = await put(grove, encode(replace(label, version=label.version + 1)), **headers)

    assert (response.status, response.content_type) == (status, "application/problem+json")
    assert grove.label_of(grove.routers["root"], "one.test").version == label.version


async def test_a_label_of_another_router_or_for_other_hosts_is_refused(grove: Any) -> None:
    label = await planted(grove)
    [known] = [child for child in grove.routers["root"].router.children if child.name == "one.test"]
    known._granted = Grant([Host("one.test")])
    newer = replace(label, version=label.version + 1)

    assert (await put(grove, encode(replace(newer, name="two.test")))).status == 403
    assert (await put(grove, encode(replace(newer, hosts=(Host("bank.test"),))))).status == 403
    assert (await put(grove, encode(replace(newer, hosts=(Host("one.test"), Host("sub.one.test")))))).status == 403
    assert (await put(grove, encode(newer))).status == 200


async def test_an_older_label_is_refused_and_the_version_told(grove: Any) -> None:
    label = await planted(grove)
    client = grove.client("root")

    with pytest.raises(LabelOutdated) as refused:
        await client.push_label("one.test", encode(replace(label, version=label.version - 1)), TOKEN)

    assert refused.value.current == label.version
    assert (await put(grove, encode(replace(label, pages=label.pages, url="http://elsewhere/")))).status == 409


async def test_huge_bodies_are_refused_without_being_read(grove: Any) -> None:
    """A gigabyte that is announced, and one that just keeps coming."""
    await planted(grove)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    host, port = grove.routers["root"].address
    head = f"PUT /labels/one.test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: {LABEL}\r\n"
    for announced in (f"{head}Content-Length: 1000000000\r\n\r\n", f"{head}Transfer-Encoding: chunked\r\n\r\n"):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(announced.encode())
        chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
        for _ in range(2 * LABEL_LIMIT >> 20):
            writer.write(chunk)
        status = await reader.readline()
        writer.transport.abort()
        assert b" 413 " in status
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert grown < 100_000, "kilobytes"


async def test_mutated_labels_are_refused_and_nothing_is_stored(grove: Any) -> None:
    label = await planted(grove)
    router = grove.routers["root"].router
    sound = encode(replace(label, version=label.version + 1))
    chance = random.Random(1996)

    for _ in range(300):
        broken = bytearray(sound[: chance.randrange(len(sound))] if chance.random() < 0.3 else sound)
        for _ in range(chance.randrange(1, 8)):
            if broken:
                broken[chance.randrange(len(broken))] = chance.randrange(256)
        if bytes(broken) == sound:
            continue
        try:
            await router.accept_label("one.test", TOKEN, bytes(broken))
        except LabelRefused:
            continue
        # A flipped bit of a number can leave a label that is as good as any; the checks cannot know better.
        assert grove.label_of(grove.routers["root"], "one.test").version > label.version


async def test_a_restarted_router_serves_from_its_stored_labels_at_once(grove: Any) -> None:
    await planted(grove)
    before = await grove.search("root", "word1 OR word2")
    await grove.stop("root")

    await grove.start("root")

    after = await grove.search("root", "word1 OR word2")
    assert (after.hits, after.exact) == (before.hits, True)


async def test_a_damaged_stored_label_is_as_good_as_missing_and_comes_again(grove: Any, tmp_path: Path) -> None:
    await planted(grove)
    await grove.stop("root")
    for path in (tmp_path / "root").glob("*.label"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    await grove.start("root")

    await grove.stop("one.test")
    await grove.start("one.test")
    await grove.stop("two.test")
    await grove.start("two.test")
    await grove.until_ready("root")
    assert (await grove.search("root", "word1")).exact


async def test_a_change_travels_up_and_no_change_does_not(grove: Any) -> None:
    leaf = grove.leaf("one.test")
    grove.interior("root", grove.interior("middle", leaf, grove.leaf("two.test")))
    await grove.grow()
    middle, root = grove.routers["middle"], grove.routers["root"]
    version = grove.label_of(root, "middle").version
    same = replace(grove.label_of(middle, "one.test"), version=grove.label_of(middle, "one.test").version + 1)

    await put_to(grove, "middle", same)
    await asyncio.sleep(10 * grove.settings.quiet)
    assert grove.label_of(root, "middle").version == version

    bigger = replace(same, version=same.version + 1, hosts=(*same.hosts, Host("also.test")))
    await put_to(grove, "middle", bigger)
    while grove.label_of(root, "middle").version == version:  # noqa: ASYNC110  others decide when
        await asyncio.sleep(0.01)
    assert Host("also.test") in grove.label_of(root, "middle").hosts


async def put_to(grove: Any, parent: str, label: ContentLabel) -> None:
    await grove.client(parent).push_label(label.name, encode(label), f"token of {label.name}")


async def test_a_child_whose_memory_was_lost_catches_up_with_its_parent(grove: Any, tmp_path: Path) -> None:
    """Its parent has a label from the future; the child learns the version from the refusal and goes beyond it."""
    label = await planted(grove)
    future = replace(label, version=label.version + 10**6)
    assert (await put(grove, encode(future))).status == 200
    await grove.stop("one.test")
    (tmp_path / "one.leaf").unlink(missing_ok=True)
    (tmp_path / "one.test.leaf").unlink(missing_ok=True)

    await grove.start("one.test")

    while grove.label_of(grove.routers["root"], "one.test").version <= future.version:  # noqa: ASYNC110  others decide when
        await asyncio.sleep(0.01)


def test_a_sealed_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "sealed"
    assert read_sealed(path) is None
    write_sealed(path, b"content")
    assert read_sealed(path) == b"content"

    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read_sealed(path) is None
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_sealed(path) is None


@pytest.mark.parametrize(
    ("hosts", "url", "covered"),
    [
        ([Host("a.org")], "http://a.org/x", True),
        ([Host("a.org")], "https://a.org", True),
        ([Host("a.org")], "http://b.a.org/", False),
        ([Host("a.org")], "http://org/", False),
        ([Host("a.org", "/docs/")], "http://a.org/docs/x", True),
        ([Host("a.org", "/docs/")], "http://a.org/docs", True),
        ([Host("a.org", "/docs/")], "http://a.org/docsx", False),
        ([Host(".org")], "http://a.org/", True),
        ([Host(".org")], "http://org/", True),
        ([Host(".org")], "http://borg/", False),
        ([Host("a.org:81")], "http://a.org:81/", True),
        ([Host("a.org:81")], "http://a.org/", False),
        ([Host(".")], "http://anything/", True),
        ([Host(".")], "javascript:alert(1)", False),
        ([Host(".")], "http:///path", False),
        ([], "http://a.org/", False),
    ],
)
def test_a_grant_covers_its_hosts_and_paths_only(hosts: list[Host], url: str, covered: bool) -> None:
    assert Grant(hosts).covers(url) == covered


def test_labels_may_name_domains_that_hold_the_granted_hosts() -> None:
    grant = Grant([Host("docs.python.org")])

    assert grant.foreign([Host(".python.org"), Host("."), Host("docs.python.org", "/3/")]) is None
    assert grant.foreign([Host("docs.python.org"), Host(".perl.org")]) == Host(".perl.org")


async def test_a_restarted_router_does_not_make_its_label_again_for_nothing(
    grove: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Merging takes seconds in a large tree; the stored label is known to be made of the stored labels below."""
    await planted(grove)
    label = await grove.client("root").label()
    await grove.stop("root")
    monkeypatch.setattr("routers.interior_router.merge_labels", None)

    await grove.start("root")

    await asyncio.sleep(5 * grove.settings.quiet)
    assert encode(await grove.client("root").label()) == encode(label)


async def test_a_label_that_cannot_be_stored_is_not_used_either(grove: Any, tmp_path: Path) -> None:
    """After a restart the router would not know it; better the child sends it again."""
    label = await planted(grove)
    for path in (tmp_path / "root").iterdir():
        path.unlink()
    (tmp_path / "root").rmdir()
    (tmp_path / "root").write_bytes(b"a file where the folder was")

    response = await put(grove, encode(replace(label, version=label.version + 1)))

    assert response.status == 500
    assert grove.label_of(grove.routers["root"], "one.test").version == label.version
    (tmp_path / "root").unlink()
    assert (await put(grove, encode(replace(label, version=label.version + 1)))).status == 200
