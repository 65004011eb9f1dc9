"""The router of one site: searches the site's own index."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hypursuit.errors import NotAuthorised
from hypursuit.label.make import merge_labels
from hypursuit.label.parts import clean
from hypursuit.query.answer import Answer, Coverage, Health, Hit, HitCluster, SnippetPart
from hypursuit.query.snippets import snippet
from hypursuit.text.scoring import Scoring
from hypursuit.text.stemming import Stems
from routers.label_push import Pusher
from routers.router import Reception, clustered, told_before
from routers.router_settings import DEFAULTS, RouterSettings
from routers.store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypursuit.label.budget import LabelBudget
    from hypursuit.label.content import ContentLabel
    from hypursuit.query.answer import LabelReceipt, SearchRequest
    from hypursuit.query.index import Match
    from hypursuit.query.query import Idf, Query
    from routers.label_push import LabelPush
    from routers.leaf_files import LeafContents
    from routers.router import Visit


class LeafRouter:
    """Answers from the pages of one site. ``start`` and ``close`` frame its life."""

    kind = "leaf"

    def __init__(
        self, contents: LeafContents, *, pushes: Sequence[LabelPush] = (), settings: RouterSettings = DEFAULTS
    ) -> None:
        self.name, self.url = contents.label.name, contents.label.url
        self._contents, self._settings = contents, settings
        self._reception = Reception(self.name, settings)
        self._pushers = [Pusher(self.name, push, self.label) for push in pushes]
        self._texts: Store | None = None
        self._stems = Stems()

    async def start(self) -> None:
        """Begin to send the label to the parents."""
        for pusher in self._pushers:
            pusher.start()
            pusher.changed()

    async def close(self) -> None:
        """End that, and let go of the store."""
        await asyncio.gather(*(pusher.close() for pusher in self._pushers))
        self._forget_texts()

    def replace(self, contents: LeafContents) -> None:
        """Serve from other contents from now on, as after a crawl; parents get the new label."""
        self._contents = contents
        self._forget_texts()
        for pusher in self._pushers:
            pusher.changed()

    def health(self) -> Health:
        """A leaf is ready as soon as it is there."""
        label = self._contents.label
        return Health(
            router=self.name, kind=self.kind, ready=True, leaves=1, pages=label.pages, label_version=label.version
        )

    async def label(self, budget: LabelBudget | None = None) -> ContentLabel:
        """What the site is about; for a budget of another parent, abstracted once more."""
        label = self._contents.label
        if budget is None:
            return label
        return await asyncio.to_thread(merge_labels, self.name, self.url, [label], budget, version=label.version)

    async def accept_label(self, child: str, token: str, encoded: bytes, replaces: str = "") -> LabelReceipt:  # noqa: ARG002
        """A leaf has no children."""
        raise NotAuthorised(child, f"{self.name} is a leaf and has no children")

    async def search(self, request: SearchRequest) -> Answer:
        """The best pages of the site."""
        async with self._reception.visit(request) as visit:
            if visit.repeated:
                return told_before(self.name, 1, visit)
            contents = self._contents
            idf = visit.carried.idf if visit.carried else _own_idf(contents, visit.query)
            floor = visit.carried.floor if visit.carried else 0.0
            matches, total = await self._matches(contents, visit.query, idf, request.wanted, floor)
            shown = tuple(
                self._hit(contents, match, visit.query, idf if request.explain else None)
                for match in matches[request.offset :]
            )
            return self._answer(shown, total, visit)

    def _answer(self, shown: tuple[Hit, ...], total: int, visit: Visit) -> Answer:
        return Answer(
            router=self.name,
            hits=shown,
            clusters=clustered(shown) if visit.carried is None else (),
            coverage=Coverage(leaves=1, asked=1, answered=1),
            exact=True,
            total=total,
            took_ms=visit.took_ms,
        )

    async def _matches(
        self, contents: LeafContents, query: Query, idf: Idf, wanted: int, floor: float
    ) -> tuple[list[Match], int]:
        # Whoever carries the query here may have left a stem out; it then counts as nowhere else.
        complete = {stem: idf.get(stem, 0.0) for stem in query.stems()}
        if len(contents.index.urls) < self._settings.thread_pages:
            return contents.index.search(query, complete, wanted, floor)
        return await asyncio.to_thread(contents.index.search, query, complete, wanted, floor)

    def _hit(self, contents: LeafContents, match: Match, query: Query, explained: Idf | None) -> Hit:
        url, cluster = contents.index.urls[match.page], int(contents.membership[match.page])
        return Hit(
            url=url,
            score=match.score,
            title=clean(contents.index.titles[match.page]),
            snippet=self._snippet(contents, url, query),
            site=contents.root,
            leaf=self.name,
            cluster=HitCluster(id=cluster, name=contents.label.clusters[cluster].name),
            aliases=contents.aliases.get(url, ()),
            parts=None if explained is None else _parts(contents, query, explained, match.page),
        )

    def _snippet(self, contents: LeafContents, url: str, query: Query) -> tuple[SnippetPart, ...]:
        if self._texts is None:
            self._texts = Store.open(contents.store)
        # Without a text a crawl is replacing the page just now.
        text = self._texts.text(url) or ""
        return tuple(SnippetPart(*part) for part in snippet(text, query, stems=self._stems).parts)

    def _forget_texts(self) -> None:
        if self._texts is not None:
            self._texts.close()
            self._texts = None


def _own_idf(contents: LeafContents, query: Query) -> Idf:
    """Where the query enters at the leaf itself."""
    index = contents.index
    return {stem: Scoring.idf(index.page_frequency(stem), len(index.urls)) for stem in query.stems()}


def _parts(contents: LeafContents, query: Query, idf: Idf, page: int) -> dict[str, float]:
    shares = contents.index.explain(query, idf, page)
    return {f"{s.word.attribute}:{s.word.stem}" if s.word.attribute else s.word.stem: s.score for s in shares}
