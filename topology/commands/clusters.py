"""``hypursuit clusters STORE``: the pages of a site, organised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.tree import Tree

from hypursuit.clustering.lettering import clean
from hypursuit.clustering.organise import COARSE, ClusterSettings, SiteClusters
from hypursuit.clustering.signals import Method, SignalSettings
from hypursuit.errors import BadSetting
from hypursuit.similarity.hybrid import COMBINATIONS
from routers.leaf import organise_store
from routers.store import Store
from topology.console import find_stores, json_option, output, print_json, store_argument, working

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypursuit.clustering.portrait import ClusterPortrait

_TITLE = 70
_TERMS = 20
_WORDS = 8


@click.command()
@store_argument
@click.option("-k", "--clusters", type=click.IntRange(2), default=30, show_default=True, help="How many clusters.")
@click.option("--pages", type=click.IntRange(0), default=3, show_default=True, help="Sample pages per cluster.")
@click.option(
    "--method",
    type=click.Choice([method.value for method in Method]),
    default=Method.HYBRID.value,
    show_default=True,
    help="What similarity is made of; plain is the 1996 paper's setting.",
)
@click.option(
    "--combine",
    type=click.Choice(list(COMBINATIONS)),
    default="maximum",
    show_default=True,
    help="How hybrid and plain combine terms and links.",
)
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Draw the map of the site to this file.")
@json_option
def command(
    stores: tuple[Path, ...], clusters: int, pages: int, method: str, combine: str, svg: Path | None, as_json: bool
) -> None:
    """Organise the pages of crawled sites and show the tree of clusters.

    STORE is a store's file, or a folder of them. The whole merge tree is kept: ask for 5, 30 or 100 clusters.
    """
    found = find_stores(stores)
    if svg is not None and len(found) > 1:
        raise BadSetting(f"--svg draws one site, but {len(found)} stores were given; name one of them")
    settings = ClusterSettings(SignalSettings(Method(method), COMBINATIONS[combine]))
    results = []
    for path in found:
        with Store.open(path) as store:
            root = store.root
            with working(f"organising {root}", quiet=as_json):
                made = organise_store(store, settings)
                picture = None if svg is None else made.draw(root, clusters)
        if as_json:
            results.append(_document(root, path, made, clusters, pages))
        else:
            output().print(cluster_tree(root, made, clusters, pages))
        if svg is not None and picture is not None:
            write_picture(svg, picture)
            click.echo(f"drew {svg}", err=True)
    if as_json:
        print_json(results)


def write_picture(path: Path, picture: str) -> None:
    """Write a drawing, or say why that cannot be."""
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise BadSetting(f"cannot write {path}: {error.strerror}; give another file with --svg") from error


def cluster_tree(root: str, made: SiteClusters, k: int, n_pages: int) -> Tree:
    """Coarse clusters, finer ones below them, sample pages below those."""
    names = made.names(k)
    portraits = {portrait.id: portrait for portrait in made.portraits(k, n_terms=_TERMS, n_pages=max(n_pages, 1))}
    size = len(made.collection.urls)
    tree = Tree(f"[bold]{escape(root)}[/]  {size} pages, {len(portraits)} clusters{_trust(made)}")
    for cluster, inner in _nested(made, k):
        if inner == [cluster]:
            _add(tree, made, portraits[cluster], n_pages)
            continue
        branch = tree.add(f"[bold]{escape(names[cluster])}[/]  [dim]{made.tree.size(cluster)} pages[/]")
        for finer in inner:
            _add(branch, made, portraits[finer], n_pages)
    return tree


def _trust(made: SiteClusters) -> str:
    if made.link_trust is None:
        return f"  [dim]({made.method})[/]"
    return f"  [dim](links trusted {made.link_trust:.0%}, words {1 - made.link_trust:.0%})[/]"


def _nested(made: SiteClusters, k: int) -> Iterator[tuple[int, list[int]]]:
    """Coarse clusters, largest first, each with the finer ones that it consists of, largest first."""
    size = made.tree.size
    finer = set(made.tree.clusters(k))
    for cluster in sorted(made.tree.clusters(min(COARSE, k)), key=lambda c: (-size(c), c)):
        open_, inner = [cluster], []
        while open_:
            here = open_.pop()
            inner.append(here) if here in finer else open_.extend(made.tree.children(here))
        yield cluster, sorted(inner, key=lambda c: (-size(c), c))


def _add(branch: Tree, made: SiteClusters, portrait: ClusterPortrait, n_pages: int) -> None:
    words = ", ".join(list(dict.fromkeys(t.word for t in portrait.terms if not t.word.isdecimal()))[:_WORDS])
    twig = branch.add(f"[cyan]{escape(portrait.name)}[/]  [dim]{portrait.size}  {escape(clean(words, 80))}[/]")
    for page in portrait.representatives[:n_pages]:
        url, title = made.collection.urls[page], made.collection.titles[page]
        shown = escape(clean(title or url, _TITLE))
        twig.add(
            f"[link={url}]{shown}[/link]" if output().is_terminal and "]" not in url else f"{shown}  {escape(url)}"
        )


def _document(root: str, path: Path, made: SiteClusters, k: int, n_pages: int) -> dict[str, Any]:
    names = made.names(k)
    urls = made.collection.urls
    portraits = {portrait.id: portrait for portrait in made.portraits(k, n_terms=_TERMS, n_pages=max(n_pages, 1))}

    def one(portrait: ClusterPortrait) -> dict[str, Any]:
        return {
            "cluster": portrait.id,
            "name": portrait.name,
            "pages": portrait.size,
            "similarity": made.tree.similarity(portrait.id),
            "terms": [
                {"attribute": t.term.attribute, "term": t.term.stem, "word": t.word, "tf": t.tf, "df": t.df}
                for t in portrait.terms
            ],
            "centroid": urls[portrait.centroid],
            "representatives": [urls[page] for page in portrait.representatives],
            "members": [urls[page] for page in made.tree.members(portrait.id)],
        }

    return {
        "site": root,
        "store": str(path),
        "pages": len(urls),
        "method": made.method,
        "link_clarity": made.link_clarity,
        "link_trust": made.link_trust,
        "clusters": [
            {
                "cluster": cluster,
                "name": names[cluster],
                "pages": made.tree.size(cluster),
                "clusters": [one(portraits[finer]) for finer in inner],
            }
            for cluster, inner in _nested(made, k)
        ],
    }
