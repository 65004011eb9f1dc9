"""Lays documented modules out as web sites: addresses, links, index pages, one look."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from topology.pydoc_pages import ModulePage
    from topology.pydoc_subjects import PlannedSite

_PYDOC_LINK = re.compile(r'<a href="pydoc:([\w.]+)#?([^"]*)">(.*?)</a>')
_PLACE = re.compile(r' id="([^"]+)"')

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --paper: #fff; --line: #d8dee6; --soft: #f4f6f9; --link: #1459a8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dde3ea; --paper: #14191f; --line: #313a45; --soft: #1d242c; --link: #7db4f5 }
}
body { margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 52rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, sans-serif }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
nav { padding-bottom: .5rem; border-bottom: 1px solid var(--line); font-size: .875rem }
h1 { margin: 1.25rem 0 .25rem; font-size: 1.75rem } h2 { margin-top: 2.5rem; font-size: 1.25rem }
h3 { margin: 1.75rem 0 .25rem; padding-top: .75rem; border-top: 1px solid var(--line); font-size: 1rem }
.lead { margin: 0 0 1rem; font-size: 1.125rem; opacity: .85 }
.doc, dd { white-space: pre-wrap; overflow-wrap: anywhere; font: .8125rem/1.5 ui-monospace, monospace }
.doc { padding: .5rem .75rem; border-radius: .375rem; background: var(--soft) }
code, dt { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere }
dt { margin-top: .75rem } dd { margin: .125rem 0 0 1.5rem }
.index dd { white-space: normal; font: inherit } .index dt { margin-top: .5rem }
""".strip()


@dataclass(frozen=True, slots=True)
class Address:
    """Where a module's page lies: below its topic's folder, packages as folders of their own."""

    origin: str
    path: str

    @property
    def file(self) -> str:
        """The path of the file below the site's folder."""
        return f"{self.path}index.html" if not self.path or self.path.endswith("/") else self.path

    def link_from(self, origin: str) -> str:
        """What to write into a page of the site ``origin`` to get here."""
        return f"/{self.path}" if origin == self.origin else f"{self.origin}/{self.path}"


class Layout:
    """The addresses of all pages of all sites, and the pages themselves. The same input gives the same bytes."""

    def __init__(self, sites: Iterable[PlannedSite], pages: Mapping[str, ModulePage], port: int) -> None:
        self._pages = pages
        self._port = port
        self._packages = {name.rpartition(".")[0] for name in pages}
        self._places = {name: frozenset(_PLACE.findall(page.body)) for name, page in pages.items()}
        self._sites = list(sites)
        self._addresses = {
            name: self._address(site, topic, name)
            for site in self._sites
            for topic, names in site.topics.items()
            for name in names
            if name in pages
        }

    def write(self, site: PlannedSite, folder: Path) -> int:
        """Write a site's pages below ``folder``; tells how many."""
        texts = {"index.html": self._front_page(site)}
        for topic, names in site.topics.items():
            documented = [name for name in names if name in self._pages]
            if topic and documented:
                texts[f"{_slug(topic)}/index.html"] = self._topic_page(site, topic, documented)
            for name in documented:
                texts[self._addresses[name].file] = self._module_page(site, topic, name)
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        return len(texts)

    def _address(self, site: PlannedSite, topic: str, name: str) -> Address:
        path = name.replace(".", "/") + ("/" if name in self._packages else ".html")
        # A module named index would take the place of its package's own page.
        path = re.sub(r"(^|/)index\.html$", r"\1index-module.html", path)
        return Address(self._origin(site), f"{_slug(topic)}/{path}" if topic else path)

    def _origin(self, site: PlannedSite) -> str:
        return f"http://{site.host}" if self._port == 80 else f"http://{site.host}:{self._port}"

    def _front_page(self, site: PlannedSite) -> str:
        parts = []
        for topic, names in site.topics.items():
            top = self._outermost(names)
            if topic and top:
                parts.append(f'<h2><a href="/{_slug(topic)}/">{topic}</a></h2>\n')
            parts.append(self._listing(site, top))
        others = [other for other in self._sites if other.host != site.host]
        parts.append("<h2>Other sites</h2>\n<ul>\n")
        parts += [f'<li><a href="{self._origin(other)}/">{html.escape(other.title)}</a></li>\n' for other in others]
        return _page(site.title, site.title, "", "".join([*parts, "</ul>\n"]))

    def _topic_page(self, site: PlannedSite, topic: str, names: list[str]) -> str:
        return _page(f"{topic} — {site.title}", topic, _trail([("/", site.title)]), self._listing(site, names))

    def _module_page(self, site: PlannedSite, topic: str, name: str) -> str:
        page = self._pages[name]
        lead = f'<p class="lead">{html.escape(page.summary)}</p>\n' if page.summary else ""
        body = lead + self._with_addresses(site, page.body) + self._contents(site, name) + self._see_also(site, page)
        return _page(f"{name} — {topic or site.title}", name, self._trail_to(site, topic, name), body)

    def _trail_to(self, site: PlannedSite, topic: str, name: str) -> str:
        steps = [("/", site.title)]
        if topic:
            steps.append((f"/{_slug(topic)}/", topic))
        parts = name.split(".")
        above = (".".join(parts[:depth]) for depth in range(1, len(parts)))
        steps += [(f"/{self._addresses[package].path}", package) for package in above if package in self._addresses]
        return _trail(steps)

    def _contents(self, site: PlannedSite, name: str) -> str:
        inside = [other for other in self._pages if other.rpartition(".")[0] == name]
        return f"<h2>Modules of this package</h2>\n{self._listing(site, sorted(inside))}" if inside else ""

    def _see_also(self, site: PlannedSite, page: ModulePage) -> str:
        links = [self._module_link(site, name) for name in page.see_also if name in self._addresses]
        return f"<h2>See also</h2>\n<p>{', '.join(links)}</p>\n" if links else ""

    def _listing(self, site: PlannedSite, names: Iterable[str]) -> str:
        entries = (
            f"<dt>{self._module_link(site, name)}</dt>\n<dd>{html.escape(self._pages[name].summary)}</dd>\n"
            for name in names
        )
        return f'<dl class="index">\n{"".join(entries)}</dl>\n'

    def _outermost(self, names: Iterable[str]) -> list[str]:
        """Those whose package has no page here that would list them."""
        documented = [name for name in names if name in self._pages]
        return [name for name in documented if name.rpartition(".")[0] not in self._pages]

    def _module_link(self, site: PlannedSite, name: str) -> str:
        return f'<a href="{self._addresses[name].link_from(self._origin(site))}">{name}</a>'

    def _with_addresses(self, site: PlannedSite, body: str) -> str:
        """Give the ``pydoc:`` links their addresses; those that lead nowhere become text."""
        origin = self._origin(site)

        def addressed(match: re.Match[str]) -> str:
            module, place, text = match.groups(default="")
            # A place that is not there: an example's own `io.getvalue`, or a name beyond the page's budget.
            if module not in self._addresses or (place and place not in self._places[module]):
                return text
            return f'<a href="{self._addresses[module].link_from(origin)}{place and "#" + place}">{text}</a>'

        return _PYDOC_LINK.sub(addressed, body)


def _slug(topic: str) -> str:
    return topic.lower().replace(" ", "-")


def _trail(steps: Iterable[tuple[str, str]]) -> str:
    links = " / ".join(f'<a href="{link}">{html.escape(text)}</a>' for link, text in steps)
    return f"<nav>{links}</nav>\n"


def _page(title: str, heading: str, trail: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{trail}<h1>{html.escape(heading)}</h1>\n"
        f"{body}</body>\n</html>\n"
    )
