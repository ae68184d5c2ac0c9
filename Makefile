# The front door. `make help` lists what is here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UNIT_WORKERS ?= 3
# Tests start processes by the dozen: each would compile anew whatever it loads.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest

.DEFAULT_GOAL := help
.PHONY: help env up demo test test-slow lint bench eval lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(STAMP) ## create the environment from the lock

$(STAMP): requirements.lock requirements-uv.lock pyproject.toml sdk/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MemoryWeave needs Python 3.11 or newer; set PYTHON=…")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e sdk -e .
	@touch $@

up: env ## start the service on 7821 (Ctrl-C stops it)
	@$(BIN)/memoryweave up

demo: env ## import a conversation, ask ten questions, print answers with provenance
	@$(BIN)/memoryweave demo

lint: env ## format check, lint, types, import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint ## everything CI runs
	$(PYTEST) -n $(UNIT_WORKERS) --dist worksteal -m "not slow"

test-slow: env ## the soak and the stated counts of every fault
	$(PYTEST) -m slow --timeout 3600

bench: env ## measured ratios against floors in the same run
	$(BIN)/python -m bench

eval: env ## measure recall on the sets in MEMORYWEAVE_EVAL_DATA, over HTTP
	@$(BIN)/memoryweave eval run --all

lock: env ## resolve the locks anew
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		--extra dev pyproject.toml sdk/pyproject.toml --no-emit-package memoryweave-sdk --output-file requirements.lock
	echo uv | $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 - --output-file requirements-uv.lock

clean: ## remove the environment and caches (never data)
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .pytest_cache .import_linter_cache
