"""Which modules the demo documents, and on which site: found without importing any of them."""

from __future__ import annotations

import pkgutil
import sys
from dataclasses import dataclass
from importlib import metadata
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIBRARY: dict[str, dict[str, str]] = {
    "text": {
        "Text processing": "string re difflib textwrap unicodedata stringprep readline rlcompleter",
        "Binary records": "struct codecs encodings base64 binascii quopri uu binhex",
        "File formats": "csv configparser tomllib netrc plistlib xdrlib",
        "Markup": "html xml pyexpat",
        "Internationalisation": "gettext locale",
    },
    "data": {
        "Data types": "datetime zoneinfo calendar collections heapq bisect array weakref types copy pprint reprlib "
        "enum graphlib dataclasses",
        "Numbers": "numbers math cmath decimal fractions random statistics",
        "Functional programming": "itertools functools operator",
    },
    "files": {
        "Files and directories": "pathlib posixpath ntpath genericpath fileinput stat filecmp tempfile glob fnmatch "
        "linecache shutil io",
        "Persistence": "pickle copyreg shelve marshal dbm sqlite3",
        "Compression": "zlib gzip bz2 lzma zipfile tarfile",
        "Cryptography": "hashlib hmac secrets crypt",
        "Sound and colour": "wave colorsys aifc audioop chunk sndhdr sunau imghdr ossaudiodev",
    },
    "system": {
        "Operating system": "os time argparse getopt optparse logging getpass curses platform errno ctypes",
        "Concurrency": "threading multiprocessing concurrent subprocess sched queue contextvars",
        "Unix": "posix pwd grp spwd termios tty pty fcntl pipes resource syslog nis",
    },
    "net": {
        "Sockets": "asyncio socket ssl select selectors signal mmap asyncore asynchat socketserver ipaddress",
        "Internet messages": "email json mailbox mailcap mimetypes",
        "Protocols": "webbrowser wsgiref urllib http ftplib poplib imaplib nntplib smtplib smtpd telnetlib uuid "
        "xmlrpc cgi cgitb",
    },
    "tools": {
        "Testing": "unittest doctest pydoc typing",
        "Debugging and profiling": "bdb faulthandler pdb cProfile profile pstats timeit trace tracemalloc",
        "Packaging": "distutils ensurepip venv zipapp lib2to3",
        "Programs": "cmd shlex turtle tkinter",
    },
    "runtime": {
        "Runtime services": "sys sysconfig builtins warnings contextlib abc atexit traceback gc inspect site",
        "Importing": "zipimport pkgutil modulefinder runpy importlib imp code codeop",
        "Language": "ast symtable token keyword tokenize tabnanny pyclbr py_compile compileall dis opcode pickletools",
    },
}
"""The standard library by subject: site, topic, top-level modules. What a Python does not have is passed over."""

_SITE_TITLES = {
    "text": "Text and markup",
    "data": "Data types and numbers",
    "files": "Files and storage",
    "system": "Operating system and concurrency",
    "net": "Networking and the internet",
    "tools": "Development tools",
    "runtime": "Runtime and language",
}

SKIPPED = frozenset({"antigravity", "this", "idlelib", "turtledemo", "pydoc_data"})
"""Not documented, nor anything below: they open windows, print, or say nothing."""
_NOT_INSIDE = frozenset({"encodings", "pygments.lexers", "pygments.styles"})
"""Packages of a hundred near-equal tables: only the package itself is documented."""
_SKIPPED_PARTS = frozenset({"__main__", "conftest", "setup", "test", "tests", "idle_test"})
_SKIPPED_DISTRIBUTIONS = frozenset({"hypursuit", "pip", "setuptools", "wheel"})
_FAVOURITES = ("aiohttp", "click", "networkx", "nltk", "numpy", "rich", "scipy")
_FEWEST_MODULES = 5


@dataclass(frozen=True, slots=True)
class PlannedSite:
    """A site and the modules it is to document, by topic. A site without topics has the one named ""."""

    host: str
    title: str
    topics: dict[str, list[str]]

    @property
    def modules(self) -> list[str]:
        """All of them, in the order in which they are to be imported: packages before what is in them."""
        return [module for modules in self.topics.values() for module in modules]


def plan_library(domain: str, pages: int) -> list[PlannedSite]:
    """The standard library as one site per subject, at most ``pages`` modules on each."""
    sites = []
    for label, topics in LIBRARY.items():
        found = {topic: find_modules(names.split()) for topic, names in topics.items()}
        kept = set(_shallowest(sorted(module for modules in found.values() for module in modules), pages))
        planned = {topic: [module for module in modules if module in kept] for topic, modules in found.items()}
        sites.append(PlannedSite(f"{label}.library.{domain}", _SITE_TITLES[label], planned))
    return sites


def plan_packages(domain: str, pages: int, most: int) -> list[PlannedSite]:
    """Installed distributions as one site each, at most ``most`` of them: well-known ones, then the largest."""
    found = {
        distribution: find_modules(packages)
        for distribution, packages in _packages_by_distribution().items()
        if distribution not in _SKIPPED_DISTRIBUTIONS
    }
    order = sorted(found, key=lambda name: (name not in _FAVOURITES, -len(found[name]), name))
    return [
        PlannedSite(
            f"{name}.packages.{domain}", f"{name} {metadata.version(name)}", {"": _shallowest(found[name], pages)}
        )
        for name in sorted(order[:most])
        if len(found[name]) >= _FEWEST_MODULES
    ]


def find_modules(packages: Iterable[str]) -> list[str]:
    """The public modules of the packages, themselves included, sorted; nothing is imported."""
    return sorted(module for package in packages for module in _modules_of(package))


def _modules_of(package: str) -> Iterator[str]:
    if not _is_wanted(package):
        return
    # Not importlib.util.find_spec: it asks the finders that packages install, and that of setuptools imports.
    spec = PathFinder.find_spec(package)
    if spec is not None or package in sys.builtin_module_names:
        yield package
    if spec is not None:
        yield from _modules_below(package, list(spec.submodule_search_locations or ()))


def _modules_below(package: str, folders: list[str]) -> Iterator[str]:
    """Walk the folders by hand: ``pkgutil.walk_packages`` would import every package it enters."""
    for module in pkgutil.iter_modules(folders if package not in _NOT_INSIDE else []):
        name = f"{package}.{module.name}"
        if _is_wanted(name):
            yield name
            if module.ispkg:
                yield from _modules_below(name, [f"{folder}/{module.name}" for folder in folders])


def _is_wanted(name: str) -> bool:
    last = name.rpartition(".")[2]
    return not last.startswith("_") and last not in _SKIPPED_PARTS and name not in SKIPPED and last.isidentifier()


def _shallowest(modules: list[str], limit: int) -> list[str]:
    """At most ``limit`` of them, packages before their contents, so that no module lacks its package's page."""
    return sorted(sorted(modules, key=lambda name: (name.count("."), name))[:limit])


def _packages_by_distribution() -> dict[str, list[str]]:
    """Import packages by distribution, as host label; a package that several distributions share is left out."""
    packages: dict[str, list[str]] = {}
    for package, distributions in sorted(metadata.packages_distributions().items()):
        owners = {name.lower().replace("_", "-").replace(".", "-") for name in distributions}
        if len(owners) == 1 and package not in sys.stdlib_module_names:
            packages.setdefault(owners.pop(), []).append(package)
    return packages
