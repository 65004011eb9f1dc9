"""Which URLs show the same page, and which only look alike."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hypursuit.crawl import AliasEntry, Link, Page, content_key, content_sketch, fold_aliases
from hypursuit.crawl.sketch import POSITIONS, SHINGLE_WORDS, SKETCH_BYTES, resemblance

WORDS = [f"word{number}" for number in range(2_000)]


def prose(seed: int, words: int = 600) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def page(name: str, words: list[str], title: str = "Cats", canonical: str | None = None) -> Page:
    return Page(url=f"http://cats.example/{name}", title=title, text=" ".join(words), canonical=canonical)


def entries(*pages: Page) -> list[AliasEntry]:
    """Entries in crawl order."""
    return [
        AliasEntry(page.url, order, content_key(page), content_sketch(page), page.canonical)
        for order, page in enumerate(pages)
    ]


def folded(*pages: Page) -> dict[str, str]:
    """Aliases by last part of their URLs."""
    return {alias[20:]: original[20:] for alias, original in fold_aliases(entries(*pages)).items()}


def changed(words: list[str], count: int) -> list[str]:
    """The same words with ``count`` of them, spread evenly, replaced."""
    words = list(words)
    for change in range(count):
        words[(change + 1) * len(words) // (count + 1)] = f"changed{change}"
    return words


# Digest and sketch


def test_the_key_ignores_letter_case_and_nothing_else() -> None:
    words = prose(1)

    assert content_key(page("a", words)) == content_key(page("b", [word.upper() for word in words]))
    assert content_key(page("a", words)) != content_key(page("b", words[:-1]))
    assert content_key(page("a", words)) != content_key(page("a", words, title="Dogs"))


def test_pages_of_few_words_are_told_apart_by_their_links() -> None:
    """Frame sets and "this page has moved" read alike and lead elsewhere."""
    here, there = (Page("http://a/", links=(Link(target, "", 0, 0),)) for target in ("http://a/x", "http://a/y"))

    assert content_key(here) != content_key(there)
    assert content_key(here) == content_key(replace(here, url="http://a/z"))


def test_a_sketch_has_a_fixed_size_and_depends_on_the_text_alone() -> None:
    for words in ([], ["one"], prose(1, 3), prose(1, 50_000)):
        sketch = content_sketch(page("a", words))
        assert len(sketch) == SKETCH_BYTES
        assert sketch == content_sketch(page("b", words))


def test_nothing_resembles_an_empty_page() -> None:
    empty = content_sketch(page("a", []))

    assert resemblance(empty, empty) == 0.0


@pytest.mark.parametrize("length", [30, 200, 1_000])
def test_resemblance_estimates_the_share_of_common_shingles(length: int) -> None:
    """Against the sets themselves: unbiased, and as exact as 128 positions allow (0.044)."""
    errors = []
    for seed in range(60):
        words = prose(seed, length)
        other = changed(words, random.Random(seed).randrange(length // 8))
        estimate = resemblance(content_sketch(page("a", words)), content_sketch(page("b", other)))
        errors.append(estimate - exact_resemblance(words, other))

    assert abs(sum(errors)) / len(errors) < 0.02
    assert (sum(error**2 for error in errors) / len(errors)) ** 0.5 < 0.06


def exact_resemblance(one: list[str], other: list[str]) -> float:
    sets = [
        {tuple(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)} for words in (one, other)
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def test_all_positions_are_used() -> None:
    one, other = (content_sketch(page("a", prose(seed, 5_000))) for seed in (1, 2))

    assert resemblance(one, other) < 4 / POSITIONS


# Folding


def test_no_pages_no_aliases() -> None:
    assert fold_aliases([]) == {}


def test_equal_pages_are_aliases_of_the_earliest() -> None:
    words = prose(1)

    assert folded(page("a", words), page("b", prose(2)), page("c", words), page("d", words)) == {"c": "a", "d": "a"}


def test_short_equal_pages_are_aliases_too() -> None:
    words = prose(1, 12)

    assert folded(page("a", words), page("b", words)) == {"b": "a"}


def test_nearly_equal_pages_of_one_title_are_aliases() -> None:
    words = prose(1)

    assert folded(page("a", words), page("b", changed(words, 1))) == {"b": "a"}


def test_nearly_equal_pages_of_different_titles_are_not() -> None:
    words = prose(1)

    assert folded(page("a", words), page("b", changed(words, 1), title="Dogs")) == {}


def test_pages_that_differ_in_more_than_a_few_words_are_not() -> None:
    words = prose(1)

    assert folded(page("a", words), page("b", changed(words, 30))) == {}


def test_short_pages_that_differ_in_a_word_are_not() -> None:
    """In a reference, "returns the sine of x" and "returns the cosine of x" are two pages."""
    words = prose(1, 60)

    assert folded(page("a", words), page("b", changed(words, 1))) == {}


def test_pages_alike_only_in_what_the_site_repeats_are_not() -> None:
    """Forty pages under one title: 3,000 words of navigation each, and ten words of their own."""
    navigation = prose(1, 3_000)
    pages = [page(f"p{number}", navigation + prose(100 + number, 10)) for number in range(40)]

    assert folded(*pages) == {}


def test_small_changes_do_not_add_up_along_a_chain() -> None:
    """Each is nearly equal to the one before, the last to none of the first."""
    words = prose(1, 2_000)
    chain = [page(f"p{step}", changed(words, 60)[: 30 * step] + words[30 * step :]) for step in range(60)]

    aliases = folded(*chain)
    for alias, original in aliases.items():
        one, other = chain[int(alias[1:])], chain[int(original[1:])]
        assert exact_resemblance(one.text.split(), other.text.split()) > 0.9
    assert len(set(aliases.values())) > 1


# Declared canonical URLs


def test_a_declaration_is_believed_where_the_pages_resemble_each_other() -> None:
    words = prose(1)
    variant = page("sorted", changed(words, 40), title="Cats, sorted", canonical="http://cats.example/cats")

    assert folded(variant, page("cats", words), page("x", prose(2))) == {"sorted": "cats"}


def test_a_declaration_is_not_believed_of_a_page_never_fetched() -> None:
    assert folded(page("a", prose(1), canonical="http://cats.example/nowhere")) == {}


def test_a_site_that_declares_its_home_page_everywhere_keeps_its_pages() -> None:
    """Also where most of every page is the same navigation."""
    navigation, home = prose(1, 800), "http://cats.example/"
    pages = [page("", navigation + prose(2, 100), canonical=home)]
    pages += [page(str(number), navigation + prose(number, 100), canonical=home) for number in range(3, 12)]

    assert folded(*pages) == {}


def test_a_declaration_outweighs_the_order_of_the_crawl() -> None:
    words = prose(1)

    assert folded(page("print", words, canonical="http://cats.example/cats"), page("cats", words)) == {"print": "cats"}


def test_aliases_of_an_alias_are_aliases_of_its_original() -> None:
    words = prose(1)
    pages = (
        page("a", words, canonical="http://cats.example/b"),
        page("b", changed(words, 5), canonical="http://cats.example/c"),
        page("c", changed(words, 10)),
        page("d", words),
        *(page(str(seed), prose(seed)) for seed in range(2, 8)),
    )

    assert folded(*pages) == {"a": "c", "b": "c", "d": "c"}


def test_circular_declarations_leave_the_earliest() -> None:
    words = prose(1)
    pages = [page(name, words, canonical=f"http://cats.example/{following}") for name, following in ("ab", "bc", "ca")]

    assert folded(*pages) == {"b": "a", "c": "a"}


@pytest.mark.parametrize("seed", range(30))
def test_the_map_is_flat_and_independent_of_the_order_of_entries(seed: int) -> None:
    """Random sites full of copies, near copies and declarations true, false and circular."""
    rng = random.Random(seed)
    originals = [prose(number, 300) for number in range(4)]
    pages = []
    for number in range(25):
        words = changed(rng.choice(originals), rng.choice([0, 0, 1, 3, 40]))
        canonical = rng.choice([None, f"http://cats.example/{rng.randrange(30)}"])
        pages.append(page(str(number), words, title=rng.choice(["Cats", "Dogs"]), canonical=canonical))
    site = entries(*pages)
    aliases = fold_aliases(site)

    rng.shuffle(site)
    assert fold_aliases(site) == aliases
    assert not set(aliases.values()) & set(aliases), "no original is an alias"
    assert set(aliases) | set(aliases.values()) <= {entry.url for entry in site}
    keys = {entry.url: entry.key for entry in site}
    kept = [keys[url] for url in keys if url not in aliases]
    assert len(kept) == len(set(kept)), "no two pages that are left are equal"


def test_a_large_site_of_near_equal_pages_is_no_quadratic_matter() -> None:
    """Twenty thousand pages in the same bands of the sketch; all pairs would run into the suite's time-out."""
    words = prose(1, 300)
    sketch = bytearray(content_sketch(page("a", words)))
    site = []
    for number in range(20_000):
        sketch[-400:-396] = (number + 1).to_bytes(4, "little")
        sketch[8:40] = random.Random(number).randbytes(32)
        site.append(AliasEntry(f"http://cats.example/{number}", number, number.to_bytes(16, "big"), bytes(sketch)))

    assert fold_aliases(site) == {}
