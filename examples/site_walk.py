"""What should a crawl of a site find? A plain walk over the site's files, to hold the crawler against.

    python examples/site_walk.py FOLDER/HOST [--start PAGE]

It shares no code with the crawler on purpose: html.parser reads the pages, urllib joins the links and reads robots.txt.
It honours what a polite crawler must: robots.txt, robots meta elements, rel=nofollow, base and canonical addresses.
Like a browser it shows frames, so it does not see what is there for browsers without them. It knows no traps, no limits
and no sitemaps; on sites that have those the two may differ.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

if TYPE_CHECKING:
    from collections.abc import Iterator

AGENT = "hypursuit"
UNSEEN = {"iframe", "noembed", "noframes", "template"}
PLAIN = re.compile(r"%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])")
# What a URL may hold as it is; whether an apostrophe is escaped depends on where it stands.
KEPT_IN_PATH, KEPT_IN_QUERY = "%/:;@!$&'()*+,=~|[]", "%/:;@!$&()*+,=~|[]?`{}^"


@dataclass
class Walked:
    """What a walk came by: URLs and their distance from the start."""

    pages: dict[str, int] = field(default_factory=dict)
    """URL → depth of every page that may be kept."""
    unlisted: set[str] = field(default_factory=set)
    """Pages that ask not to be kept; their links were followed all the same."""
    forbidden: set[str] = field(default_factory=set)
    """URLs that robots.txt disallows."""
    missing: set[str] = field(default_factory=set)
    """URLs without a file."""


class LinkReader(HTMLParser):
    """Collects what one page says about where to go from here."""

    def __init__(self) -> None:
        super().__init__()
        self.base = self.canonical = ""
        self.links: list[str] = []
        self.index = self.follow = True
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        given = {name: value or "" for name, value in reversed(attrs)}  # of repeated attributes the first counts
        words = given.get("rel", "").lower().split()
        if tag in ("a", "area") and "href" in given and not {"nofollow", "ugc", "sponsored"} & set(words):
            self._link(given["href"])
        elif tag in ("frame", "iframe") and given.get("src", "").strip():
            self._link(given["src"])
        elif tag == "base":
            self.base = self.base or given.get("href", "")
        elif tag == "link" and "canonical" in words:
            self.canonical = self.canonical or given.get("href", "")
        elif tag == "meta":
            self._meta(given)
        self._unseen += tag in UNSEEN

    def handle_endtag(self, tag: str) -> None:
        """Called by the parser."""
        self._unseen -= tag in UNSEEN

    def _link(self, href: str) -> None:
        if not self._unseen:
            self.links.append(href)

    def _meta(self, given: dict[str, str]) -> None:
        words = set(given.get("content", "").lower().replace(",", " ").split())
        if given.get("name", "").lower() in ("robots", AGENT):
            self.index = self.index and not words & {"noindex", "none"}
            self.follow = self.follow and not words & {"nofollow", "none"}
        elif given.get("http-equiv", "").lower() == "refresh":
            target = re.search(r"url\s*=\s*[\"']?([^\"']+)", given.get("content", ""), re.IGNORECASE)
            self.links += [target[1]] if target else []

    def targets(self, url: str) -> Iterator[str]:
        """The URLs that the page at a URL leads to, first its own canonical one."""
        base = joined(url, self.base)
        for href in [self.canonical] * bool(self.canonical) + self.links * self.follow:
            try:
                yield joined(base, href)
            except ValueError:  # urllib's way to say that this is no URL
                continue


def joined(base: str, href: str) -> str:
    """Where a link leads, as browsers read it: authors wrap long addresses, and write backslashes for slashes."""
    path, mark, query = re.sub(r"[\t\n\r]", "", href.strip()).partition("?")
    href = path.replace("\\", "/") + mark + query
    parts = urlsplit(href)
    if parts.path and not parts.scheme and not parts.netloc:
        # urljoin would make one slash of two, which servers may tell apart.
        folder = "" if parts.path.startswith("/") else urlsplit(base).path.rpartition("/")[0] + "/"
        return spelt(urlsplit(base)._replace(path=folder + parts.path, query=parts.query).geturl())
    return spelt(urljoin(base, href))


def spelt(url: str) -> str:
    """One spelling for a URL, so that URLs can be compared: no fragment, no default port, escapes only where needed."""
    parts = urlsplit(url)
    port = "" if parts.port in (None, 80) else f":{parts.port}"
    path = _escaped(_without_dots(parts.path), KEPT_IN_PATH)
    query = f"?{_escaped(parts.query, KEPT_IN_QUERY)}" if parts.query else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{path}{query}"


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            kept[-1:] = []
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept) + "/" * (bool(kept) and segments[-1] in (".", ".."))


def _escaped(part: str, kept: str) -> str:
    upper = re.sub(r"%[0-9a-fA-F]{2}", lambda escape: escape[0].upper(), quote(part, safe=kept))
    return PLAIN.sub(lambda escape: unquote(escape[0]), upper)


def walk(folder: Path, start: str) -> Walked:
    """All that links lead to from a page, level by level; ``folder`` is named by the host it stands for."""
    site, found, robots = f"http://{folder.name.lower()}/", Walked(), robots_of(folder)
    level, seen, depth = [spelt(start)], {spelt(start)}, 0
    while level:
        below: list[str] = []
        for url in level:  # grows: what a redirect leads to is no deeper than the redirect
            if not robots.can_fetch(AGENT, url):
                found.forbidden.add(url)
            elif (file := file_of(folder, url)) is None:
                found.missing.add(url)
            elif file.is_dir():
                slash = url.partition("?")[0] + "/"
                level += [slash] * (slash not in seen)
                seen.add(slash)
            elif file.suffix.lower() in (".html", ".htm"):
                reader = read(file)
                if reader.index:
                    found.pages[url] = depth
                else:
                    found.unlisted.add(url)
                below += [target for target in reader.targets(url) if target.startswith(site)]
        level = [target for target in dict.fromkeys(below) if target not in seen]
        seen.update(level)
        depth += 1
    return found


def robots_of(folder: Path) -> RobotFileParser:
    """The site's rules; without a robots.txt everything is allowed."""
    robots, file = RobotFileParser(), folder / "robots.txt"
    robots.parse(file.read_text(encoding="utf-8").splitlines() if file.is_file() else [])
    return robots


def file_of(folder: Path, url: str) -> Path | None:
    """The file that a web server shows at a URL; a folder where it would say: with a slash, please."""
    path = unquote(urlsplit(url).path)
    try:
        named = folder / path.strip("/")
        file = named / "index.html" if path.endswith("/") or named.is_dir() else named
        return None if not file.is_file() else named if named.is_dir() and not path.endswith("/") else file
    except (OSError, ValueError):  # names that no file can have
        return None


def read(file: Path) -> LinkReader:
    """Read a page; addresses are nearly always ASCII, so a wrong charset does not matter here."""
    reader = LinkReader()
    reader.feed(file.read_bytes().decode("utf-8", "replace"))
    reader.close()
    return reader


def main() -> None:
    """Walk and count."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="of the site's files, named by its host")
    options.add_argument("--start", default="", metavar="PAGE", help="where to start; at the root if not given")
    given = options.parse_args()
    found = walk(given.folder, f"http://{given.folder.name}/{given.start}")
    print(f"{len(found.pages)} pages, {max(found.pages.values(), default=0)} links deep at most;")
    print(f"{len(found.unlisted)} not to be kept, {len(found.forbidden)} forbidden, {len(found.missing)} missing")


if __name__ == "__main__":
    main()
