"""From what came of asking children to what an answer says about itself: coverage, totals, explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypursuit.query.answer import Coverage, Explained, Failure
from routers.fan_out import Outcome, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hypursuit.query.plan import Prospect

_NOT_ASKED = Outcome()


def coverage(prospects: Sequence[Prospect], outcomes: Mapping[str, Outcome]) -> Coverage:
    """How many of the leaves below took part. Rounds ask different leaves, so they add up."""
    told_of = [answer for outcome in outcomes.values() for answer in outcome.answers]
    failed = [failure for prospect in prospects for failure in _failures(prospect, outcomes)]
    leaves = sum(prospect.leaves for prospect in prospects)
    own = sum(_unreached(prospect, outcomes[prospect.name]) for prospect in prospects if prospect.name in outcomes)
    asked = own + sum(answer.coverage.asked for answer in told_of)
    return Coverage(
        leaves=leaves,
        asked=asked,
        answered=sum(answer.coverage.answered for answer in told_of),
        pruned=max(leaves - asked, 0),
        repeated=sum(answer.coverage.repeated for answer in told_of),
        failed=tuple(failed),
    )


def totals(prospects: Sequence[Prospect], outcomes: Mapping[str, Outcome]) -> tuple[int, bool]:
    """Pages known to match, and whether that is all of them."""
    total = sum(answer.total for outcome in outcomes.values() for answer in outcome.answers)
    exact = all(prospect.bound == 0 or _all_counted(outcomes.get(prospect.name, _NOT_ASKED)) for prospect in prospects)
    return total, exact


def explanation(prospects: Sequence[Prospect], outcomes: Mapping[str, Outcome], threshold: float) -> list[Explained]:
    """What was decided about each child, the most promising first."""
    ordered = sorted(prospects, key=lambda prospect: (-prospect.bound, prospect.name))
    return [_explained(prospect, outcomes.get(prospect.name), threshold) for prospect in ordered]


def _explained(prospect: Prospect, outcome: Outcome | None, threshold: float) -> Explained:
    name, bound = prospect.name, told(prospect.bound)
    if outcome is None and prospect.bound == 0:
        return Explained(router=name, bound=bound, decision="pruned", reason="no page below matches, by its label")
    if outcome is None:
        reason = f"nothing below can reach the {threshold:.6g} of the last hit wanted, by its label"
        return Explained(router=name, bound=bound, decision="pruned", reason=reason)
    return Explained(
        router=name,
        bound=bound,
        decision="failed" if outcome.failure else "asked",
        reason=outcome.failure,
        rounds=len(outcome.answers) + bool(outcome.failure),
        took_ms=round(1000 * outcome.seconds, 3),
        hits=sum(len(answer.hits) for answer in outcome.answers),
        children=tuple(child for answer in outcome.answers for child in answer.explain),
    )


def _failures(prospect: Prospect, outcomes: Mapping[str, Outcome]) -> list[Failure]:
    outcome = outcomes.get(prospect.name, _NOT_ASKED)
    below = [failure for answer in outcome.answers for failure in answer.coverage.failed]
    if outcome.failure:
        leaves, bound = _unreached(prospect, outcome), told(prospect.bound)
        below.append(Failure(router=prospect.name, reason=outcome.failure, leaves=leaves, bound=bound))
    return below


def _unreached(prospect: Prospect, outcome: Outcome) -> int:
    """Leaves of a child that failed: all but those it had spoken for in an earlier round."""
    if not outcome.failure:
        return 0
    return max(prospect.leaves - sum(answer.coverage.asked for answer in outcome.answers), 0)


def _all_counted(outcome: Outcome) -> bool:
    # Several rounds are several partial counts; which of them together are all, only the leaves know.
    return not outcome.failure and len(outcome.answers) == 1 and outcome.answers[0].total_exact
