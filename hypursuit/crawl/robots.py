"""What a site's owner asks of crawlers: robots.txt [RFC 9309] and the ``X-Robots-Tag`` header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protego import Protego

if TYPE_CHECKING:
    from collections.abc import Iterable

AGENT = "hypursuit"
"""The product token that robots.txt groups are matched with."""
ROBOTS_BYTES = 500 * 1024
"""As much of a robots.txt as is read [RFC 9309 §2.5]."""

_AGENT_LINE = re.compile(r"^([ \t]*user[- ]?agent[ \t]*:?[ \t]*)([^\r\n#]*)", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(r"[A-Za-z_-]+|\*")
_SOMEBODY_ELSE = "another-crawler"


class RobotsRules:
    """Which URLs of a site may be fetched, how fast, and where its sitemaps are."""

    def __init__(self, text: str, *, refused: str = "") -> None:
        self._rules = Protego.parse(_AGENT_LINE.sub(_exact_agent, text))
        self.refused = refused
        """Why nothing at all may be fetched; empty where the rules decide."""
        self.crawl_delay: float | None = self._rules.crawl_delay(AGENT)
        self.sitemaps: tuple[str, ...] = tuple(self._rules.sitemaps)
        self._indifferent = not text.strip()

    def allows(self, url: str) -> bool:
        """Whether this crawler may fetch a URL of the site."""
        if self.refused:
            return False
        return self._indifferent or bool(self._rules.can_fetch(url, AGENT))


def _exact_agent(match: re.Match[str]) -> str:
    """Rewrite a user-agent line so that only our exact product token can match ours.

    protego takes a group for ``hyp`` to be meant for ``hypursuit``; RFC 9309 §2.2.1 compares whole tokens.
    """
    token = _TOKEN.match(match[2].strip())
    name = token[0].lower() if token else ""
    return match[1] + (name if name in {AGENT, "*"} else _SOMEBODY_ELSE)


def read_robots(status: int | None, body: bytes = b"") -> RobotsRules:
    """The rules that a robots.txt response amounts to [RFC 9309 §2.3.1].

    No such file (4xx) allows everything; a server that fails (5xx), asks to be left alone (429) or does not answer
    (``status`` None) allows nothing. What lies beyond 500 KiB is not read, nor half of the line that was cut.
    """
    if status is None or status >= 500 or status == 429:
        answer = "did not answer" if status is None else f"answered {status}"
        return RobotsRules("", refused=f"robots.txt {answer}, which forbids everything until it does")
    if not 200 <= status < 300:
        return RobotsRules("")
    if len(body) > ROBOTS_BYTES:
        body = body[:ROBOTS_BYTES].rpartition(b"\n")[0]
    return RobotsRules(body.decode("utf-8-sig", "replace"))


@dataclass(frozen=True, slots=True)
class RobotsTag:
    """What ``X-Robots-Tag`` headers say about one response."""

    index: bool = True
    follow: bool = True


# Directives that carry a value, told apart from "agent: directive" by name.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def read_robots_tag(values: Iterable[str]) -> RobotsTag:
    """Read the headers' values; a directive after ``agent:`` binds that agent only, up to the next one named."""
    said: set[str] = set()
    for value in values:
        agent = AGENT
        for part in value.lower().split(","):
            name, colon, rest = part.partition(":")
            if colon and name.strip() not in _VALUED:
                agent, part = name.strip(), rest  # noqa: PLW2901  what is left of the part once its agent is read
            if agent in {AGENT, "*"}:
                said.add(part.strip())
    nothing = "none" in said
    return RobotsTag(index=not (nothing or "noindex" in said), follow=not (nothing or "nofollow" in said))
