# Everything a developer or CI does here. `make` alone lists it.
# Needs Python >= 3.11, Node >= 20 with npm, and make; whatever else it takes, it installs here.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
STAGE ?= local
SUITE ?= contention
# Two processes: each has a DynamoDB of its own, and a file's tests stay together. In the order of
# their folders, so that the long tests of a deployment do not begin last.
PYTEST_ARGS ?= -n 2 --dist loadfile --no-loadscope-reorder
BIN := .venv/bin
UV := $(BIN)/uv
STUDIES := widths contention cost latency
LOCKS := bootstrap runtime count dev ministack mutants
COMPILE := pip compile --quiet --universal --generate-hashes --python-version 3.11

export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20
export CDK_DISABLE_CLI_TELEMETRY := 1
export CDK_DISABLE_VERSION_CHECK := 1

.PHONY: help
help:  ## Show this list
	@echo "Tallyboard. Start with: make demo"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo "Afterwards $(BIN)/tally --help is the operator's command."

.PHONY: venv
venv: .venv/.stamp .venv-ministack/.stamp node_modules/.stamp $(BIN)/tally  ## Make the environment (.venv, .venv-ministack, node_modules)

.PHONY: demo
demo: venv  ## Deploy to an emulator on this machine, send real results, read ranks
	@$(BIN)/python -m ops.demo

.PHONY: test
test: check browser  ## Everything CI runs: the checks, then all tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

.PHONY: check
check: venv  ## Lint, format, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: browser
browser:  ## Install a browser for the test of the API page, where this machine allows it
	@tests/contract/browser.sh

.PHONY: bench
bench: venv  ## Measure what DynamoDB counts; writes docs/benchmarks.md (35 minutes)
	$(BIN)/python -m ops.bench

.PHONY: studies
studies: venv  ## Redo every study; writes docs/studies (20 minutes)
	for name in $(STUDIES); do $(BIN)/tally study $$name; done

.PHONY: loadtest
loadtest: venv  ## Load a stage: make loadtest SUITE=contention STAGE=dev ARGS=--yes
	@$(BIN)/python -m loadtests run $(SUITE) --stage $(STAGE) $(ARGS)

.PHONY: mutants
mutants: .venv-mutants/.stamp  ## Change the counting code one expression at a time: do tests notice?
	.venv-mutants/bin/python -m tests.mutation

.PHONY: synth
synth: venv  ## Synthesize the templates of a stage: make synth STAGE=prod
	node_modules/.bin/cdk synth --quiet --no-notices -c stage=$(STAGE)

.PHONY: lock
lock: venv  ## Compile requirements/*.in to pinned files with hashes
	cd requirements && for name in $(LOCKS); do ../$(UV) $(COMPILE) $$name.in -o $$name.txt; done

.PHONY: clean
clean:  ## Remove what can be made again, save the environment and a running deployment
	rm -rf build cdk.out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find app.py lambdas loadtests ops stacks tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- The environment: each part is made once and again when its lock changes -------------------

.PHONY: prerequisites
prerequisites:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is missing: install it, or name one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)' || { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1): name another with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: install its venv package (Debian: python3-venv)"; exit 1; }
	@command -v node >/dev/null || { echo "Node 20 or newer is missing: install it (22 is the better choice)"; exit 1; }
	@node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || { echo "Node 20 or newer is needed, this is $$(node --version)"; exit 1; }
	@command -v npm >/dev/null || { echo "npm is missing: install it (it comes with Node)"; exit 1; }

$(UV): requirements/bootstrap.txt | prerequisites
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@touch $(UV)

.venv/.stamp: requirements/dev.txt $(UV)
	$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt requirements/bootstrap.txt
	@touch $@

.venv-mutants/.stamp: requirements/mutants.txt $(UV)
	$(PYTHON) -m venv --clear --without-pip .venv-mutants
	$(UV) pip sync --quiet --python .venv-mutants/bin/python --require-hashes requirements/mutants.txt
	@touch $@

# Apart, and without pip: functions on the emulator see whatever is in there.
.venv-ministack/.stamp: requirements/ministack.txt $(UV)
	$(PYTHON) -m venv --clear --without-pip .venv-ministack
	$(UV) pip sync --quiet --python .venv-ministack/bin/python --require-hashes requirements/ministack.txt
	@touch $@

node_modules/.stamp: package.json package-lock.json | prerequisites
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# A line of shell instead of an installed package: nothing to build, and it runs from any folder.
define TALLY
#!/bin/sh
exec "$(CURDIR)/$(BIN)/python" -P -c 'import sys; sys.path.insert(0, "$(CURDIR)"); sys.argv[0] = "tally"; from ops.cli import main; main()' "$$@"
endef
export TALLY
$(BIN)/tally: Makefile .venv/.stamp
	@printf '%s\n' "$$TALLY" > $@
	@chmod +x $@
