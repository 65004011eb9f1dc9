from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from routers.breaker import Breaker, BreakerSettings, Circuit

SETTINGS = BreakerSettings(failures=3, first_pause=0.1, longest_pause=1.0, longest_trial=10.0)


def opened(now: float = 0.0) -> Breaker:
    breaker = Breaker(SETTINGS)
    for _ in range(SETTINGS.failures):
        assert breaker.admits(now)
        breaker.failed(now)
    return breaker


def test_three_failures_in_a_row_open_the_circuit() -> None:
    breaker = Breaker(SETTINGS)
    for ending in (breaker.failed, breaker.failed, lambda _: breaker.succeeded(), breaker.failed, breaker.failed):
        assert breaker.admits(0.0)
        ending(0.0)
    assert breaker.circuit is Circuit.CLOSED

    breaker.failed(0.0)

    assert breaker.circuit is Circuit.OPEN
    assert not breaker.admits(0.05)


def test_after_a_pause_one_query_is_let_through_to_try() -> None:
    breaker = opened()

    assert breaker.admits(0.1)
    assert not breaker.admits(0.1)
    breaker.succeeded()
    assert breaker.admits(0.1)


def test_pauses_double_up_to_the_longest() -> None:
    breaker, now, pauses = opened(), 0.1, []
    for _ in range(6):
        assert breaker.admits(now)
        breaker.failed(now)
        start = now
        while not breaker.admits(now):
            now += 0.01
        breaker.abandoned(now)
        pauses.append(round(now - start, 1))
        now += pauses[-1]

    assert pauses == [0.2, 0.4, 0.8, 1.0, 1.0, 1.0]


def test_failures_of_queries_that_were_under_way_do_not_put_off_the_trial() -> None:
    """A hundred searches that time out together must not re-arm the breaker a hundred times."""
    breaker = opened()
    for late in range(100):
        breaker.failed(0.001 * late)

    assert breaker.admits(0.1)


def test_a_trial_nobody_hears_of_again_is_followed_by_another() -> None:
    breaker = opened()
    assert breaker.admits(0.1)

    assert not breaker.admits(10.0)
    assert breaker.admits(10.2)


EVENTS = st.lists(
    st.tuples(st.sampled_from(["ask", "succeed", "fail", "abandon"]), st.floats(0, 3)), max_size=60
)  # fmt: skip


@given(EVENTS)
def test_whatever_happened_the_circuit_closes_soon_after_the_child_works_again(events: list[tuple[str, float]]) -> None:
    """A child asked every 50 ms that always answers is trusted within two seconds of the last fault."""
    breaker, now, under_way = Breaker(SETTINGS), 0.0, 0
    for event, passed in events:
        now += passed
        if event == "ask":
            under_way += breaker.admits(now)
        elif under_way:
            under_way -= 1
            {"succeed": lambda _: breaker.succeeded(), "fail": breaker.failed, "abandon": breaker.abandoned}[event](now)
    for _ in range(under_way):
        breaker.failed(now)

    end = now + 2.0
    while now < end and breaker.circuit is not Circuit.CLOSED:
        if breaker.admits(now):
            breaker.succeeded()
        now += 0.05

    assert breaker.circuit is Circuit.CLOSED
