PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
DEMO = build/demo

.PHONY: install test demo docs

$(VENV)/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@

install: $(VENV)/.installed

# What .ci/run does.
test: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile -q

# A store of this repository and of the sample one; each command that is shown can be run again by hand.
demo: export GRAPHSVC_STORE = $(DEMO)/store
demo: install
	rm -rf $(DEMO)
	$(BIN)/python -m examples.sample $(DEMO)/tally
	$(BIN)/graphsvc init --format table
	$(BIN)/graphsvc add repo . --name graphsvc --format table
	$(BIN)/graphsvc add repo $(DEMO)/tally --format table
	$(BIN)/graphsvc rebuild --format table
	$(BIN)/graphsvc status --format table
	$(BIN)/graphsvc why $(DEMO)/tally/tally/money.py:6 --format table
	$(BIN)/graphsvc callers parse_amount --depth 2 --format table
	$(BIN)/python -c 'import graphsvc; print(graphsvc.open("$(DEMO)/store").sessions().frame[:, :7])'
	@echo
	@echo 'More: export GRAPHSVC_STORE=$(DEMO)/store; $(BIN)/graphsvc --help; $(BIN)/python -m examples.analysis $(DEMO)/store'

# The reference pages that are made from the code; tests fail while they are out of date.
docs: install
	$(BIN)/python docs/generate.py
