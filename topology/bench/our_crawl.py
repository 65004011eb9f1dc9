"""Our side of the crawl benchmark, in a process of its own.

    python -m topology.bench.our_crawl CONCURRENCY URL STORE

Prints one line of JSON: pages kept, CPU seconds from the start of the crawl (imports excluded), peak memory.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from hypursuit.crawl.scope import Site
from routers.crawl_settings import CrawlSettings, Politeness
from routers.crawler import crawl_site
from topology.bench.usage import Usage


def main() -> None:
    """Crawl and tell what it cost."""
    concurrency, url, store = sys.argv[1:]
    settings = CrawlSettings(politeness=Politeness(delay=0, concurrency=int(concurrency)))
    usage = Usage()
    report = asyncio.run(crawl_site(Site.of(url), Path(store), settings))
    print(json.dumps({"pages": report.pages, **usage.so_far()}))


if __name__ == "__main__":
    main()
