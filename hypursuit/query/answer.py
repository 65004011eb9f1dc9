"""What goes over the wire between routers and their users, typed once: for the server, the client and OpenAPI.

JSON and MessagePack alike; fields that have their default may be left out, unknown ones are ignored, so routers of
different age understand each other as long as fields are only added.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MOST_RESULTS = 1_000
"""How far down the list anybody can page; every router below has to find that many."""
LONGEST_QUERY = 4_000
MOST_HOPS = 8
"""Routers above a leaf, at most; a query that has passed more runs in a circle."""
ANSWER_BYTES = 1 << 20
"""What a router reads of another's answer."""

Count = Annotated[int, Meta(ge=0)]
Score = Annotated[float, Meta(ge=0)]


class Carried(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a query takes along from router to router; people who ask leave it out."""

    query_id: Annotated[str, Meta(min_length=1, max_length=64)]
    """The same at every router that the query reaches, so that none works on it twice."""
    asker: Annotated[str, Meta(max_length=500)] = ""
    """The router that asks. A second one asking the same is told so; the same one asking again gets its answer."""
    idf: dict[Annotated[str, Meta(max_length=200)], Score] = {}
    """As known where the query entered, so that all leaves score alike."""
    floor: Score = 0.0
    """Nothing that scores less is wanted."""
    horizon: Score = 0.0
    """Routers whose bound is less need not be asked yet; the answer then says what ``remaining`` they may have."""
    ceiling: Score | None = None
    """Leaves whose bound is at least this have been asked before."""
    hops: Annotated[int, Meta(ge=0, le=1_000)] = 0


class SearchRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A search as it is asked of any router."""

    q: Annotated[str, Meta(min_length=1, max_length=LONGEST_QUERY, description="words, phrases, OR, -word, site:")]
    limit: Annotated[int, Meta(ge=1, le=MOST_RESULTS, description="hits wanted")] = 10
    offset: Annotated[int, Meta(ge=0, le=MOST_RESULTS, description="hits to leave out, best first")] = 0
    deadline_ms: Annotated[int, Meta(ge=1, le=60_000, description="when an answer must be back, in milliseconds")] = (
        2_000
    )
    explain: Annotated[bool, Meta(description="say which routers were asked and why, and how scores came about")] = (
        False
    )
    carried: Carried | None = None

    @property
    def wanted(self) -> int:
        """How many of the best hits have to be known."""
        return self.offset + self.limit


class SnippetPart(Struct, frozen=True, array_like=True):
    """A stretch of a page's text, and whether it is a word of the query."""

    text: str
    match: bool = False


class HitCluster(Struct, frozen=True):
    """The sub-cluster of its leaf that a page belongs to."""

    id: int
    name: str


class Hit(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page that matches. Hits are ordered by score, falling, then by URL."""

    url: str
    score: float
    title: str = ""
    snippet: tuple[SnippetPart, ...] = ()
    site: str = ""
    """Root page of the site."""
    leaf: str = ""
    """Name of the router that holds the page."""
    cluster: HitCluster | None = None
    aliases: tuple[str, ...] = ()
    """Further addresses of the same page."""
    parts: dict[str, float] | None = None
    """With ``explain``: what each word adds to the score."""


class ResultCluster(Struct, frozen=True, kw_only=True):
    """Hits of this answer that belong together, by their places in ``hits``."""

    id: int
    name: str
    leaf: str
    hits: tuple[Count, ...]


class Failure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A router that was needed and gave no usable answer."""

    router: str
    reason: str
    leaves: int = 1
    """Leaves that could not be reached therefore."""
    bound: Score | None = None
    """No page below it scores more; null where even that is unknown."""


class Coverage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much of what lies below took part: leaves = asked + pruned; asked = answered + repeated + out of reach."""

    leaves: Count = 0
    asked: Count = 0
    answered: Count = 0
    pruned: Count = 0
    """Leaves that certainly have nothing to add, by their labels."""
    repeated: Count = 0
    """Leaves that another parent of theirs had asked before, for the same query."""
    failed: tuple[Failure, ...] = ()


class Explained(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was decided about one child, and why."""

    router: str
    bound: float | None
    decision: str
    """``asked``, ``failed`` or ``pruned``."""
    reason: str = ""
    rounds: Count = 0
    took_ms: float = 0.0
    hits: Count = 0
    children: tuple[Explained, ...] = ()


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The best pages below a router, and how sure that is."""

    hits: tuple[Hit, ...] = ()
    clusters: tuple[ResultCluster, ...] = ()
    coverage: Coverage
    exact: bool
    """Whether these are the very hits that one index over all pages below would give."""
    complete_above: Score | None = 0.0
    """No page that scores more is missing; 0 in exact answers, null where nothing is certain."""
    total: Count = 0
    """Pages that match, as far as known."""
    total_exact: bool = True
    """Whether ``total`` is all of them; else it is at least that many."""
    took_ms: float = 0.0
    router: str = ""
    repeated: bool = False
    """For routers: another one asked the same before, and has the hits."""
    remaining: Score = 0.0
    """For routers: what those not asked yet may score, at most."""
    explain: tuple[Explained, ...] = ()


class Health(Struct, frozen=True, kw_only=True):
    """Whether a router works, and what it knows."""

    router: str
    kind: str
    """``leaf`` or ``interior``."""
    ready: bool
    """Whether it can answer for all that it should."""
    leaves: Count
    pages: Count
    label_version: int
    waiting_for: tuple[str, ...] = ()
    """Children whose label has not come yet."""
    open_circuits: tuple[str, ...] = ()
    """Children that are not asked for the moment, since they failed."""


class LabelReceipt(Struct, frozen=True, kw_only=True):
    """What a parent says of a label that it has."""

    child: str
    version: int
    etag: str
    changed: bool
    """Whether it was news."""


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error, by RFC 9457 (``application/problem+json``)."""

    title: str
    status: int
    type: str = "about:blank"
    detail: str = ""
    instance: str = ""
    position: int | None = None
    """Where in the query the trouble is, counted from 0."""
    version: int | None = None
    """The version that the parent has, where a label was too old."""
