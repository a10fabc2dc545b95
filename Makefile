# `make demo` and `make test` are enough on a machine with Python and make: each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PEER := .venv-peer/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint bench clean

demo: $(INSTALLED)
	$(BIN)/causal-disent demo

test: $(INSTALLED) lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 tests causal_disent
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 plugins/causal_disent_datasets

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED) $(PEER)
	$(BIN)/python benchmarks/bench_core.py
	$(BIN)/python benchmarks/parity.py
	$(BIN)/python benchmarks/bench_metrics.py

# disentanglement_lib itself, to compare with; it no longer runs with its own dependencies.
$(PEER):
	$(PYTHON) -m venv .venv-peer
	.venv-peer/bin/python -m pip install --quiet --disable-pip-version-check --no-deps disentanglement_lib==1.5
	touch $@

$(INSTALLED): setup.cfg pyproject.toml constraints.txt plugins/causal_disent_datasets/setup.cfg
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[test]' --editable 'plugins/causal_disent_datasets[h5]'
	touch $@

clean:
	rm -rf $(VENV) .venv-peer output build *.egg-info
