"""What `hypursuit bench` compares its crawler with: Scrapy as its tutorial has it, and Scrapy tuned.

    python -m topology.bench.scrapy_crawl (idiomatic|tuned) CONCURRENCY URL OUTPUT.jsonl

Prints one line of JSON: pages kept, CPU seconds from the start of the crawl (imports excluded), peak memory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import scrapy
from lxml import html
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from topology.bench.usage import Usage

if TYPE_CHECKING:
    from scrapy.http import Response

_COMMON = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
}
_TUNED = {
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REFERER_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "HTTPPROXY_ENABLED": False,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "SPIDER_MIDDLEWARES_BASE": {},
}


class IdiomaticSpider(CrawlSpider):
    """Follows every link inside the site; title and text by selectors; items to a feed."""

    name = "idiomatic"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, url: str) -> None:
        self.allowed_domains = [urlsplit(url).hostname]
        self.start_urls = [url]
        super().__init__()

    def parse_start_url(self, response: Response, **_: Any) -> Any:
        """CrawlSpider does not hand the first page to the rules' callback."""
        return self.parse_page(response)

    def parse_page(self, response: Response) -> dict[str, str]:
        """Make the item of a page."""
        text = " ".join(response.css("body ::text").getall())
        return {"url": response.url, "title": response.css("title::text").get(""), "text": text}


class TunedSpider(scrapy.Spider):
    """Its own set of URLs seen, one lxml tree per page, nothing in between that can be left out."""

    name = "tuned"

    def __init__(self, url: str) -> None:
        self.start_urls = [url]
        self._host = urlsplit(url).netloc
        self._seen = {url}
        super().__init__()

    def parse(self, response: Response, *_: Any, **__: Any) -> Any:
        """Give the item of a page, then requests for what it links to."""
        root = html.document_fromstring(response.body)
        title = root.findtext(".//title") or ""
        text = " ".join(map(str, root.itertext()))
        yield {"url": response.url, "title": title, "text": text}
        for link in {anchor.get("href") for anchor in root.iter("a")}:
            url = urldefrag(urljoin(response.url, link)).url
            if url not in self._seen and urlsplit(url).netloc == self._host:
                self._seen.add(url)
                yield scrapy.Request(url, dont_filter=True)


def main() -> None:
    """Crawl and tell what it cost."""
    manner, concurrency, url, output = sys.argv[1:]
    spider, settings = (TunedSpider, _COMMON | _TUNED) if manner == "tuned" else (IdiomaticSpider, _COMMON)
    varying = {
        "CONCURRENT_REQUESTS": int(concurrency),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(concurrency),
        "FEEDS": {output: {"format": "jsonlines", "encoding": "utf-8"}},
    }
    process = CrawlerProcess({**settings, **varying})
    process.crawl(spider, url=url)
    usage = Usage()
    process.start()
    used = usage.so_far()
    # By address: Scrapy fetches the start page a second time when it meets a link to it.
    kept = {json.loads(line)["url"] for line in Path(output).read_text(encoding="utf-8").splitlines()}
    print(json.dumps({"pages": len(kept), **used}))


if __name__ == "__main__":
    main()
