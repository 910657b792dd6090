# Everything a checkout needs, from nothing but Python >= 3.11 with venv and pip, and make.
#
#   make run      the desktop with the demo session; FILE=path opens another
#   make test     the tests, without the long proofs   TESTS=path and ARGS=... narrow them down
#   make check    style, types (tests too), layers, spelling, dead code
#   make bench    the benchmarks
#   make fuzz     mutated sessions of every format  COUNT=20000 ARGS=... narrow it down
#   make mutants  deliberate faults, one at a time: which of them no test sees   ARGS="--part replay" or ARGS="--only 12"
#   make labels   compare needs and fetches again with those that were judged by reading
#   make demo     write the demo session again
#   make coverage-table   write docs/design/coverage.md: every rule with the tests that prove it
#   make proofs   what takes long: tests marked `proof`, and all property tests with all their examples; prints how much
#                 was tried. ARGS="kill loop" runs a part (see tests/engine/show_proofs.py)
#   make wheel    build dist/ravenglass-*.whl
#   make clean    remove what these made, the environment too

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

FILE ?= $(firstword $(filter-out fixtures/demo/agent-%,$(wildcard fixtures/demo/*.jsonl)))
TESTS ?= tests
JOBS ?= auto
COUNT ?= 20000

.PHONY: install run test check bench fuzz mutants labels demo wheel clean coverage-table proofs

install: $(STAMP)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ravenglass needs Python 3.11 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -c constraints.txt -e '.[desktop,model,dev]'
	@touch $@

run: $(STAMP)
	$(BIN)/ravenglass $(FILE)

# Where Python is told to keep no bytecode, every process of every test would compile the program again.
test proofs: export PYTHONDONTWRITEBYTECODE =
test proofs: export QT_QPA_PLATFORM = offscreen

test: $(STAMP)
	$(BIN)/python -m pytest -m "not proof" -n $(JOBS) --maxprocesses=4 --dist=loadfile $(TESTS) $(ARGS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/vulture

bench: $(STAMP)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest tests/benchmarks --benchmark-only $(ARGS)

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz --count $(COUNT) $(ARGS)

mutants: $(STAMP)
	$(BIN)/python -m tests.mutants $(ARGS)

labels: $(STAMP)
	$(BIN)/python -m tests.labels $(ARGS)

demo: $(STAMP)
	$(BIN)/python fixtures/make_demo.py

coverage-table: $(STAMP)
	$(BIN)/python docs/make_coverage.py

proofs: $(STAMP)
	$(BIN)/python -m tests.engine.show_proofs --jobs $(JOBS) $(ARGS)

wheel: $(STAMP)
	$(BIN)/python -m build --wheel --no-isolation

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks .import_linter_cache
