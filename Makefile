# make demo   see it work: sites made of this Python's documentation, crawled, clustered, drawn
# make test   lint, types, the whole test suite
# make bench  the benchmarks, against their peers
# Both prepare what they need, on a Debian machine with Python 3.11 or later and nothing else.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
ROOT   := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: demo test bench lint browser clean

demo: $(VENV)/installed
	$(BIN)/hypursuit demo

test: $(VENV)/installed-test browser lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/installed-bench
	$(BIN)/hypursuit bench

# The tests that look at drawings use a real browser.
browser:
	@command -v chromium >/dev/null || { $(ROOT) apt-get update -q && $(ROOT) apt-get install -qy chromium; }

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "HyPursuit needs Python 3.11 or later; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { $(ROOT) apt-get update -q && $(ROOT) apt-get install -qy python3-venv; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-%: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) demo-store build *.egg-info
