"""What an operator writes about a network, and what each mistake is told."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hypursuit.crawl.addresses import Resolve
from hypursuit.errors import BadSetting
from topology.network import Listen, Network, network_of, read_network, with_options
from topology.network_file import BudgetTable, HierarchyTable, NetworkFile, NetworkTable, RouterTable, SiteTable

if TYPE_CHECKING:
    import msgspec

TABLES = (NetworkFile, NetworkTable, BudgetTable, SiteTable, RouterTable, HierarchyTable)
TWO_SITES = '[[site]]\nurl = "docs.python.org"\n[[site]]\nurl = "http://peps.python.org/"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "network.toml"


def read(file: Path, text: str) -> Network:
    file.write_text(text, encoding="utf-8")
    return read_network(file)


def test_a_list_of_sites_is_enough(file: Path) -> None:
    network = read(file, TWO_SITES)

    assert [entry.site.root for entry in network.sites] == ["http://docs.python.org/", "http://peps.python.org/"]
    assert (network.name, network.listen.url, network.processes) == ("network", "http://127.0.0.1:8080/", 1)
    assert network.store == file.parent / "stores"
    assert (network.budgets.leaf_bytes, network.budgets.interior_bytes) == (410_000, 678_000)


def test_the_example_of_the_design(file: Path) -> None:
    network = read(
        file,
        """
        [network]
        name = "docs"
        listen = "127.0.0.1:8080"

        [[site]]
        url = "http://docs.python.org/"
        resolve = "127.0.0.1:8081"
        max_pages = 500

        [[hierarchy]]
        name = "subject"
        tree = { "Programming/Python" = ["docs.python.org"] }
        """,
    )

    [entry] = network.sites
    assert network.name == "docs"
    assert entry.settings.limits.pages == 500
    assert entry.settings.addresses.resolves == (Resolve("docs.python.org", 80, ip_address("127.0.0.1"), 8081),)
    [hierarchy] = network.hierarchies
    assert hierarchy.edges == (
        ("subject", "subject/Programming"),
        ("subject/Programming", "subject/Programming/Python"),
        ("subject/Programming/Python", "docs.python.org"),
    )


def test_a_site_says_otherwise_than_the_network(file: Path) -> None:
    network = read(
        file,
        '[network]\nmax_pages = 10\nmax_depth = 3\ndelay = 1\nconcurrency = 2\nallow_addresses = ["10.0.0.0/8"]\n'
        '[[site]]\nurl = "a.org"\nmax_pages = 20\nconcurrency = 1\n[[site]]\nurl = "b.org/x/index.html"\nbelow = "/"',
    )

    a, b = (entry.settings for entry in network.sites)
    assert (a.limits.pages, a.limits.depth, a.politeness.delay, a.politeness.concurrency) == (20, 3, 1.0, 1)
    assert (b.limits.pages, b.limits.depth, b.politeness.delay, b.politeness.concurrency) == (10, 3, 1.0, 2)
    assert a.addresses.networks == (ip_network("10.0.0.0/8"),)
    assert network.sites[1].site.prefix == ""


def test_budgets_processes_and_addresses(file: Path) -> None:
    network = read(
        file,
        '[network]\nprocesses = "each"\nstore = "/srv/hypursuit"\nlisten = "[::1]:0"\n'
        "[budget]\nleaf_bytes = 1000\ninterior_clusters = 9\n"
        '[[router]]\nname = "docs.python.org"\nlisten = "127.0.0.2:9001"\n' + TWO_SITES,
    )

    assert network.processes == "each"
    assert network.store == Path("/srv/hypursuit")
    assert network.listen == Listen("::1", 0)
    assert (network.budgets.leaf_bytes, network.budgets.interior_clusters) == (1000, 9)
    assert network.addresses == (("docs.python.org", Listen("127.0.0.2", 9001)),)


HIERARCHY = TWO_SITES + '[[hierarchy]]\nname = "subject"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[network\n", r"is not TOML: .*line 1"),
        ("", r"object missing required field `site`|missing required field `site`"),
        ("site = []", r"site: expected `array` of length >= 1"),
        ('[[sites]]\nurl = "x.org"', r"sites: there is no such key; did you mean site\?"),
        ('[netwrok]\nname = "x"\n' + TWO_SITES, r"netwrok: there is no such key; did you mean network\?"),
        ("[network]\nmax_page = 1\n" + TWO_SITES, r"network\.max_page: there is no such key; did you mean max_pages\?"),
        ("[budget]\nzzz = 1\n" + TWO_SITES, r"budget\.zzz: there is no such key; known are interior_bytes, "),
        (TWO_SITES + "max_page = 1", r"site\[1\]\.max_page: there is no such key; did you mean max_pages\?"),
        (TWO_SITES + 'max_pages = "ten"', r"site\[1\]\.max_pages: expected `int \| null`, got `str`"),
        (TWO_SITES + "max_pages = 0", r"site\[1\]\.max_pages: expected `int` >= 1"),
        (TWO_SITES + "delay = -0.5", r"site\[1\]\.delay: expected `float` >= 0"),
        ("[[site]]\nmax_pages = 1", r"site\[0\]: object missing required field `url`"),
        ('[[site]]\nurl = "ftp://x.org/"', r"site\[0\]: url: 'ftp://x\.org/' is not a URL that can be crawled"),
        ('[[site]]\nurl = "x.org/a/"\nbelow = "/b"', r"site\[0\]: url: http://x\.org/a/ is not below /b"),
        (TWO_SITES + 'resolve = "nowhere"', r"site\[1\]: resolve: 'nowhere' in .* is not an IP address"),
        (TWO_SITES + '[[site]]\nurl = "https://docs.python.org/"', r"site: .* are the same site; name it once"),
        ('[network]\nlisten = "8080"\n' + TWO_SITES, r"network\.listen: '8080' is not HOST:PORT"),
        ('[network]\nlisten = "localhost:99999"\n' + TWO_SITES, r"network\.listen: .* is not HOST:PORT"),
        ("[network]\nprocesses = 0\n" + TWO_SITES, r"network\.processes: expected `int` >= 1"),
        ('[network]\nprocesses = "all"\n' + TWO_SITES, r"network\.processes: invalid enum value 'all'"),
        ('[network]\nallow_addresses = ["home"]\n' + TWO_SITES, r"network\.allow_addresses: 'home' is not an address"),
        ("[network]\nallow_addresses = [7]\n" + TWO_SITES, r"network\.allow_addresses\[0\]: expected `str`"),
        (TWO_SITES + '[[router]]\nname = "docs.python.org"\nlisten = "h:1"', r"router: .* need processes = \"each\""),
        (HIERARCHY, r"hierarchy\[0\]: object missing required field `tree`"),
        (TWO_SITES + '[[hierarchy]]\nname = "dns"\ntree = {}', r'hierarchy\[0\]: name: "dns" is always there'),
        (TWO_SITES + '[[hierarchy]]\nname = "a/b"\ntree = {}', r"hierarchy\[0\]: name: 'a/b' is not to hold a slash"),
        (
            HIERARCHY + 'tree = {}\n[[hierarchy]]\nname = "subject"\ntree = {}',
            r"hierarchy\[1\]: name: 'subject' is taken",
        ),
        (
            HIERARCHY + 'tree = { "Python" = ["docs.python.org", "pep.python.org"] }',
            r"hierarchy\[0\]: tree\.\"Python\"\[1\]: 'pep\.python\.org' is no site .*did you mean peps\.python\.org\?",
        ),
        (HIERARCHY + 'tree = { "a//b" = [] }', r"hierarchy\[0\]: tree\.\"a//b\": a branch is named like"),
        (
            HIERARCHY + 'tree = { "a" = ["b"], "b" = ["c/d"], "c/d" = ["a"] }',
            r"hierarchy\[0\]: tree: .* in a circle: subject/a → subject/b → subject/c/d → subject/a",
        ),
        (HIERARCHY + 'tree = { "a" = "docs.python.org" }', r"hierarchy\[0\]\.tree\[\.\.\.\]: expected `array`"),
    ],
)
def test_every_mistake_is_told_with_its_place(file: Path, text: str, message: str) -> None:
    with pytest.raises(BadSetting, match=message) as caught:
        read(file, text)

    assert str(caught.value).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("routers", "message"),
    [
        (
            '[[router]]\nname = "dosc.python.org"\nlisten = "h:1"\n',
            r"router\[0\]\.name: .*did you mean docs\.python\.org\?",
        ),
        ('[[router]]\nname = "."\nlisten = "h:x"\n', r"router\[0\]\.listen: 'h:x' is not HOST:PORT"),
        ('[[router]]\nname = "."\nlisten = "h:1"\n' * 2, r"router\[1\]\.name: '\.' has an address already"),
    ],
)
def test_mistakes_in_addresses_of_routers(file: Path, routers: str, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        read(file, '[network]\nprocesses = "each"\n' + routers + TWO_SITES)


def test_a_file_that_is_not_there_or_no_text(file: Path) -> None:
    with pytest.raises(BadSetting, match="cannot be read: No such file"):
        read_network(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadSetting, match="is not UTF-8 text"):
        read_network(file)


def test_sites_by_their_url_or_name_and_branches_below_branches(file: Path) -> None:
    network = read(file, HIERARCHY + 'tree = { "a" = ["http://docs.python.org/", "b"], "b" = ["peps.python.org"] }')

    assert set(network.hierarchies[0].edges) == {
        ("subject", "subject/a"),
        ("subject", "subject/b"),
        ("subject/a", "subject/b"),
        ("subject/a", "docs.python.org"),
        ("subject/b", "peps.python.org"),
    }


def test_urls_make_a_network_too() -> None:
    network = network_of(
        ["x.org", "y.org", "http://x.org/"], Path("s"), resolves=["x.org:80:127.0.0.1:99"], max_pages=7
    )

    assert [entry.site.host for entry in network.sites] == ["x.org", "y.org"]
    assert {entry.settings.limits.pages for entry in network.sites} == {7}
    with pytest.raises(BadSetting, match="same site"):
        network_of(["x.org", "https://x.org"], Path("s"))


def test_options_come_before_the_file(file: Path) -> None:
    network = read(file, '[network]\nlisten = "127.0.0.1:1"\nmax_pages = 5\n' + TWO_SITES)
    changed = with_options(
        network, listen="0.0.0.0:2", store=Path("elsewhere"), resolves=["peps.python.org:80:127.0.0.1"], max_pages=9
    )

    assert (str(changed.listen), changed.store) == ("0.0.0.0:2", Path("elsewhere"))
    assert {entry.settings.limits.pages for entry in changed.sites} == {9}
    assert changed.sites[0].settings.addresses.resolved("peps.python.org", 80)
    assert with_options(network, listen=None, store=None, resolves=(), max_pages=None) == network


@pytest.mark.parametrize(
    ("text", "url"),
    [("localhost:80", "http://localhost:80/"), ("10.0.0.1", "http://10.0.0.1:8080/"), ("[::1]", "http://[::1]:8080/")],
)
def test_listening_addresses(text: str, url: str) -> None:
    assert Listen.parse(text).url == url


@pytest.mark.parametrize("table", TABLES)
def test_every_key_stands_in_the_readme(table: type[msgspec.Struct]) -> None:
    readme = (Path(__file__).parents[2] / "topology" / "README.md").read_text(encoding="utf-8")

    assert [key for key in table.__struct_fields__ if f"`{key}`" not in readme and f"[{key}]" not in readme] == []
