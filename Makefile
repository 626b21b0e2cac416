# `make help` lists what can be made. Everything runs in .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help test bench visualize lint format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One environment for everything; rebuilt only when a requirement changes.
$(READY): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12")'
	@echo "setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt -e '.[test]'
	@touch $@

test: $(READY) ## run every test
	$(BIN)/python -m pytest

bench: $(READY) ## measure speed and memory as ratios (uses torch if installed)
	$(BIN)/python benchmarks/bench.py

visualize: $(READY) ## draw self-attention, causal and multi-head patterns
	$(BIN)/python -m attnlib visualize

lint: $(READY) ## check style and formatting
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: $(READY) ## format the code
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean: ## remove what was built, and the environment
	rm -rf .venv _build
