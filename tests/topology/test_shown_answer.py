"""What a person reads of an answer, hostile strings included."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from hypursuit.query.answer import Answer, Coverage, Explained, Failure, Hit, HitCluster, ResultCluster, SnippetPart
from topology.shown_answer import coverage_line, show_answer


def shown(answer: Answer, *, offset: int = 0, terminal: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=100, force_terminal=terminal, highlight=False).print(show_answer(answer, offset=offset))
    return file.getvalue()


def hit(**changes: object) -> Hit:
    facts = {
        "url": "http://x.org/rose",
        "score": 2.5,
        "title": "Roses",
        "snippet": (SnippetPart("the "), SnippetPart("rose", True), SnippetPart(" blooms")),
        "cluster": HitCluster(3, "Flowers"),
    }
    return Hit(**facts | changes)


COVERAGE = Coverage(leaves=107, asked=6, answered=6, pruned=101)


def test_an_answer_reads_as_a_list_with_clusters_and_coverage() -> None:
    cluster = ResultCluster(id=3, name="Flowers", leaf="x.org", hits=(0, 1))
    hits = (hit(), hit(url="http://x.org/thorn", title="", score=1.25, aliases=("http://x.org/t",)))
    text = shown(
        Answer(hits=hits, clusters=(cluster,), coverage=COVERAGE, exact=True, total=12, took_ms=14.2), offset=10
    )

    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[:3] == [" 11. Roses  2.500", "     http://x.org/rose", "     the rose blooms"]
    assert " 12. http://x.org/thorn  1.250" in lines
    assert "     also at http://x.org/t" in lines
    assert "Flowers  x.org  11, 12" in lines
    assert lines[-1] == "12 pages match; 6 of 107 sites asked; certainly complete; 14 ms"


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (Answer(coverage=COVERAGE, exact=True), "0 pages match; 6 of 107 sites asked; certainly complete; 0 ms"),
        (
            Answer(coverage=Coverage(leaves=1, asked=1), exact=True, total=1),
            "1 page matches; 1 of 1 site asked; certainly complete; 0 ms",
        ),
        (
            Answer(coverage=COVERAGE, exact=False, complete_above=3.25, total=9, total_exact=False),
            "at least 9 pages match; 6 of 107 sites asked; certainly complete only above a score of 3.250; 0 ms",
        ),
        (
            Answer(coverage=COVERAGE, exact=False, complete_above=None),
            "0 pages match; 6 of 107 sites asked; what is missing is unknown; 0 ms",
        ),
    ],
)
def test_how_certain_an_answer_is_stands_in_one_line(answer: Answer, line: str) -> None:
    assert coverage_line(answer) == line


def test_who_is_missing_is_named_with_the_reason() -> None:
    failed = (
        Failure(router="mit.edu", reason="did not answer within 1 s", leaves=3),
        Failure(router="x.org", reason="no"),
    )
    text = shown(Answer(coverage=Coverage(leaves=9, asked=9, failed=failed), exact=False))

    assert "no answer from mit.edu (3 sites): did not answer within 1 s" in text
    assert "no answer from x.org: no" in text


def test_words_of_the_query_stand_out_in_a_terminal() -> None:
    text = shown(Answer(hits=(hit(),), coverage=COVERAGE, exact=True), terminal=True)

    assert "the \x1b[1;33mrose\x1b[0m blooms" in text


HOSTILE = "[red]a[/red] [link=file:///etc/passwd]b\x1b[2J\x07\u202ec\x9b31m\r\n[/nonsense]"


def test_crawled_strings_cannot_speak_to_the_terminal() -> None:
    """Markup is shown as it is; control characters, escapes and changes of direction are gone."""
    made = hit(
        url="javascript:alert(1)//" + HOSTILE,
        title=HOSTILE,
        snippet=(SnippetPart(HOSTILE), SnippetPart(HOSTILE, True)),
        aliases=(HOSTILE,),
        parts={HOSTILE: 1.0},
    )
    cluster = ResultCluster(id=1, name=HOSTILE, leaf=HOSTILE, hits=(0,))
    coverage = Coverage(leaves=1, asked=1, failed=(Failure(router=HOSTILE, reason=HOSTILE),))
    explained = Explained(router=HOSTILE, bound=None, decision="asked", reason=HOSTILE)
    answer = Answer(
        hits=(made,), clusters=(cluster,), coverage=coverage, exact=False, router=HOSTILE, explain=(explained,)
    )
    text = shown(answer)

    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert not {"\x9b", "\u202e", "\x7f"} & set(text)
    assert "[red]a[/red] [link=file:///etc/passwd]b[2Jc31m [/nonsense]" in text
    assert "\x1b]8;" not in shown(answer, terminal=True), "no link but to a web page"


def test_a_megabyte_of_title_is_cut() -> None:
    text = shown(Answer(hits=(hit(title="x" * 1_000_000),), coverage=COVERAGE, exact=True))

    assert len(text) < 1000


def test_explanations_show_each_child_and_what_made_a_score() -> None:
    inner = Explained(router="a.edu", bound=1.5, decision="pruned", reason="below the tenth score")
    outer = Explained(router="edu", bound=4.0, decision="asked", hits=3, took_ms=2.0, children=(inner,))
    made = hit(parts={"rose": 1.5, "thorn": 1.0})
    text = shown(Answer(hits=(made,), coverage=COVERAGE, exact=True, router=".", explain=(outer,)))

    assert "2.500 = rose 1.500 + thorn 1.000" in text
    assert "└── edu  asked  bound 4.000  3 hits in 2.0 ms" in text
    assert "    └── a.edu  pruned  bound 1.500  below the tenth score" in text
