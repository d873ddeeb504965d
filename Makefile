PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: install test demo

$(VENV)/.installed: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $@

install: $(VENV)/.installed

test: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -q
