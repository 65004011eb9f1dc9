from __future__ import annotations

import importlib.util

import pytest

from hypursuit.errors import MissingPeer
from topology.bench import crawl


def test_without_scrapy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)

    with pytest.raises(MissingPeer, match=r"pip install 'hypursuit\[bench\]'"):
        crawl.measure(pages=1)


@pytest.mark.skipif(importlib.util.find_spec("scrapy") is None, reason="compares with scrapy, which is not installed")
def test_all_three_crawlers_keep_exactly_the_pages_that_robots_txt_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawler that keeps another number of pages makes ``measure`` raise; forbidden ones would be one more."""
    monkeypatch.setattr(crawl, "_ROUNDS", 1)

    speed, tuned, memory = crawl.measure(pages=45)

    assert (speed.peer_name, tuned.peer_name) == ("Scrapy", "Scrapy, tuned")
    assert speed.ours == tuned.ours > 0
    assert speed.higher_is_better
    assert memory.unit == "MB"
    assert not memory.higher_is_better
