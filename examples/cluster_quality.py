"""Does the hybrid agree with people better than terms alone and links alone?

Two kinds of truth: the URL directories of documentation sites, and the subjects of an encyclopedia on breadth-first
samples of it. The hybrid was tuned on the sites and samples marked so below; look at the figures of the others.

    python examples/cluster_quality.py --web FOLDER --encyclopedia FOLDER --store FOLDER [--pages 200] [--clusters 30]

--web is a folder of sites, one per host name; --encyclopedia one with the pages and classes.tsv. Sites are served on
loopback and crawled through the front door; stores are kept, so a second run only evaluates. The table that this
printed for us is examples/benchmarks/cluster_quality.md.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from hypursuit.clustering.signals import Method
from hypursuit.crawl.addresses import AddressPolicy, Resolve
from hypursuit.crawl.scope import Site
from hypursuit.evaluation.clusters import SiteComparison, compare_methods, url_directories
from routers.crawl_settings import CrawlLimits, CrawlSettings
from routers.crawler import crawl_site
from routers.leaf import read_collection
from routers.store import Store
from topology.static_sites import StaticSites

TUNING_SITES = """
bestpractical.com cinder.openstack.org docs.celeryq.dev flask.palletsprojects.com git-annex.branchable.com
httpd.apache.org keystone.openstack.org llvm.org nipy.org numba.pydata.org pytest.org sfepy.org tomcat.apache.org
twig.symfony.com web.mit.edu www.breezy-vcs.org www.djangoproject.com www.mdanalysis.org www.rsyslog.com
www.sqlalchemy.org xenproject.org
"""
HELD_SITES = """
buildbot.net cmake.org en.cppreference.com fontforge.github.io groonga.org ikiwiki.info lilypond.org
neutron.openstack.org nova.openstack.org openvswitch.org rand-mh.sourceforge.io swift.openstack.org
toolkit.translatehouse.org twistedmatrix.com wiki.fysik.dtu.dk www.briansimulator.org www.list.org www.qemu.org
www.sphinx-doc.org www.varnish-cache.org
"""
TUNING_SEEDS = """
h/Hawfinch r/Republic_of_Macedonia b/Bangladesh b/Belize z/Zhang_Qian w/Welding c/Country b/Berber_languages
p/Pan_Am_Flight_103 h/Hiroh_Kikai y/Yes_Minister a/Anglican_Communion
"""
HELD_SEEDS = """
e/Edward_VII_of_the_United_Kingdom b/Banjul p/Privy_Council_of_the_United_Kingdom m/Mark_Antony c/Carboniferous
j/James_Joyce b/Babe_Ruth o/Ordinary_differential_equation t/The_Brothers_Karamazov 2/2005_Sumatra_earthquake t/Tehran
d/Dido_and_Aeneas
"""
ENCYCLOPEDIA = "encyclopedia.example"
SUBJECT_LEVELS = 2
SHOWN = (Method.TERMS, Method.LINKS, Method.PLAIN, Method.HYBRID)


@dataclass(frozen=True)
class Sample:
    """Pages to be clustered, and where the truth about them comes from."""

    name: str
    kind: str
    site: Site
    pages: int
    tuned_on: bool


def samples(pages: int) -> list[Sample]:
    """Every site and every encyclopedia sample, the ones tuned on first."""
    found = []
    for hosts, seeds, tuned in ((TUNING_SITES, TUNING_SEEDS, True), (HELD_SITES, HELD_SEEDS, False)):
        found += [Sample(host, "documentation", Site.of(host), pages, tuned) for host in hosts.split()]
        for seed in seeds.split():
            site = Site.of(f"http://{ENCYCLOPEDIA}/wp/{seed}.htm", below="/")
            found.append(Sample(seed.partition("/")[2], "encyclopedia", site, 300, tuned))
    return found


async def crawl(web: Path, folders: dict[str, Path], store: Path, wanted: list[Sample]) -> None:
    """Crawl what is not there yet, each sample into its own folder: the encyclopedia is crawled once per seed."""
    async with StaticSites(folders) as sites:
        addresses = AddressPolicy(tuple(map(Resolve.parse, sites.resolve_entries())))
        for sample in wanted:
            if not is_crawled(store_of(store, sample)):
                settings = CrawlSettings(limits=CrawlLimits(pages=sample.pages), addresses=addresses)
                site = sample.site if sample.kind == "encyclopedia" else root_of(web, sample.site)
                await crawl_site(site, store_of(store, sample), settings)


def is_crawled(store: Path) -> bool:
    """Whether a crawl into this store was finished."""
    if not store.exists():
        return False
    with Store.open(store) as pages:
        return pages.summary().finished


def root_of(web: Path, site: Site) -> Site:
    """Sites without an index page start at the page that the corpus names."""
    if (web / site.host / "index.html").exists():
        return site
    pages = sorted(
        (web / site.host).rglob("*.htm*"), key=lambda page: (len(page.parts), page.name != "Index.html", page)
    )
    start = pages[0].relative_to(web / site.host).as_posix()
    return Site.of(f"http://{site.host}/{start}", below="/")


def store_of(folder: Path, sample: Sample) -> Path:
    """Where a sample's pages are kept."""
    return folder / f"{sample.name}.sqlite"


def judge(sample: Sample, store: Path, subjects: dict[str, str], k: int) -> SiteComparison:
    """All methods on one sample."""
    with Store.open(store_of(store, sample)) as pages:
        collection = read_collection(pages)
    truth: list[str | None]
    if sample.kind == "documentation":
        truth = list(url_directories(collection.urls))
    else:
        truth = [subjects.get(url) for url in collection.urls]
    return compare_methods(collection, truth, k)


def read_subjects(encyclopedia: Path) -> dict[str, str]:
    """URL → subject; file names are percent-encoded on disk and once more in URLs."""
    subjects = {}
    for line in (encyclopedia / "classes.tsv").read_text(encoding="utf-8").splitlines():
        page, _, subject = line.partition("\t")
        url = f"http://{ENCYCLOPEDIA}/{page.replace('%', '%25')}"
        subjects[url] = "/".join(subject.split("/")[:SUBJECT_LEVELS])
    return subjects


def report(judged: list[tuple[Sample, SiteComparison]]) -> None:
    """The table, and what it comes to."""
    print("| sample | pages | classes | trust in links |", " | ".join(f"{method} ARI / V" for method in SHOWN), "|")
    print("|---|---|---|---|" + "---|" * len(SHOWN))
    for sample, compared in judged:
        cells = [f"{r.agreement.adjusted_rand:.2f} / {r.agreement.v_measure:.2f}" for r in map(compared.of, SHOWN)]
        trust = compared.of(Method.HYBRID).link_trust
        mark = " (tuned on)" if sample.tuned_on else ""
        print(f"| {sample.name}{mark} | {compared.pages} | {compared.classes} | {trust:.2f} |", " | ".join(cells), "|")
    for tuned, title in ((True, "tuned on"), (False, "held out")):
        for kind in ("documentation", "encyclopedia", "both"):
            chosen = [c for s, c in judged if s.tuned_on is tuned and kind in (s.kind, "both")]
            if chosen:
                summarise(f"{title}, {kind}", chosen)


def summarise(title: str, chosen: list[SiteComparison]) -> None:
    """Means per method, and on how many samples the hybrid is within 5 % of the better of terms and links, or ahead."""
    print(
        f"\n**{title}** ({len(chosen)} samples)\n\n| mean of |",
        " | ".join(SHOWN),
        "| hybrid within 5 % of the better, or ahead |",
    )
    print("|---|" + "---|" * len(SHOWN) + "---|")
    for measure, heading in (("adjusted_rand", "adjusted Rand"), ("v_measure", "V-measure"), ("b3", "B³")):
        values = {method: [getattr(c.of(method).agreement, measure) for c in chosen] for method in SHOWN}
        better = [max(pair) for pair in zip(values[Method.TERMS], values[Method.LINKS], strict=True)]
        near = sum(h >= 0.95 * b for h, b in zip(values[Method.HYBRID], better, strict=True))
        means = " | ".join(f"{mean(values[method]):.3f}" for method in SHOWN)
        print(f"| {heading} | {means} | {near} of {len(chosen)} |")


def main() -> None:
    """Crawl, judge, report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--web", type=Path, required=True)
    options.add_argument("--encyclopedia", type=Path, required=True)
    options.add_argument("--store", type=Path, required=True)
    options.add_argument("--pages", type=int, default=200)
    options.add_argument("--clusters", type=int, default=30)
    options.add_argument("--only", choices=("tuning", "held"), help="one half only")
    given = options.parse_args()
    given.store.mkdir(parents=True, exist_ok=True)
    wanted = [s for s in samples(given.pages) if given.only is None or s.tuned_on is (given.only == "tuning")]
    hosts = {folder.name: folder for folder in given.web.iterdir() if folder.is_dir()}
    asyncio.run(crawl(given.web, hosts | {ENCYCLOPEDIA: given.encyclopedia}, given.store, wanted))
    subjects = read_subjects(given.encyclopedia)
    judged = []
    for number, sample in enumerate(wanted, 1):
        print(f"{number} of {len(wanted)}: {sample.name}", file=sys.stderr)
        judged.append((sample, judge(sample, given.store, subjects, given.clusters)))
    report(judged)


if __name__ == "__main__":
    main()
