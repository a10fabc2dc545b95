# `make demo` and `make test` are enough on a machine with Python and make: each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
INSTALLED := $(VENV)/.installed
TENSORFLOW := .venv-tf/.installed
BLENDER := .venv-bpy/.installed
RAY := .venv-ray/.installed
PEER := .venv-peer/.installed
BROWSER := .venv/.browser
PLUGINS := plugins/causal_disent_candle plugins/causal_disent_crl plugins/causal_disent_datasets \
	plugins/causal_disent_torch plugins/disentanglement_lib
INSTALL := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# The tests of the other environments are reached through these.
ENVIRONMENTS := CAUSAL_DISENT_TF_PYTHON=$(CURDIR)/.venv-tf/bin/python \
	CAUSAL_DISENT_BPY_PYTHON=$(CURDIR)/.venv-bpy/bin/python
# Older processors that a new one can play: kernels of OpenBLAS, instructions of numpy (2.4's names), of torch.
# The first and the third are whole processors; the others change one library alone.
CPUS := OPENBLAS_CORETYPE=Haswell+NPY_DISABLE_CPU_FEATURES=X86_V4,AVX512_ICL+ATEN_CPU_CAPABILITY=avx2 \
	OPENBLAS_CORETYPE=SkylakeX \
	OPENBLAS_CORETYPE=Prescott+NPY_DISABLE_CPU_FEATURES=X86_V3,X86_V4,AVX512_ICL+ATEN_CPU_CAPABILITY=default \
	NPY_DISABLE_CPU_FEATURES=X86_V3,X86_V4,AVX512_ICL ATEN_CPU_CAPABILITY=default
# Tests with fitted or summed numbers in them. Files, plugins, commands, studies and texts are the same everywhere.
NUMERIC := tests/metrics+tests/data+tests/graphs+tests/representation+tests/training+tests/report+tests/testing \
	tests/runs+--ignore=tests/runs/study+causal_disent/metrics+causal_disent/graphs plugins/causal_disent_crl \
	plugins/causal_disent_torch+--ignore=plugins/causal_disent_torch/tests/test_readers_mutated.py
PYTEST := OMP_NUM_THREADS=1 $(ENVIRONMENTS) $(BIN)/python -m pytest --numprocesses 2

.PHONY: demo demo-train docs test test-core test-cpus test-lowest test-pythons fuzz dist lint bench clean

# The main job, which needs the core alone.
demo: $(CORE)
	$(BIN)/causal-disent demo

# A model is trained on confounded images and drawn; then a small study ends in a page.
demo-train: $(INSTALLED)
	$(BIN)/causal-disent demo_model
	$(BIN)/causal-disent study studies/quick.gin --output_dir output/quick

test: $(INSTALLED) $(BROWSER) $(TENSORFLOW) $(BLENDER) $(RAY) lint
	$(PYTEST) tests causal_disent
	$(PYTEST) plugins/causal_disent_datasets
	$(PYTEST) plugins/causal_disent_candle
	$(PYTEST) plugins/causal_disent_crl
	$(PYTEST) plugins/causal_disent_torch
	$(PYTEST) plugins/disentanglement_lib
	OMP_NUM_THREADS=1 .venv-tf/bin/python -m pytest plugins/causal_disent_tf
	OMP_NUM_THREADS=1 .venv-tf/bin/python -m pytest plugins/disentanglement_lib/tests/test_tensorflow.py
	OMP_NUM_THREADS=1 .venv-tf/bin/python -m pytest \
		'tests/test_docs_run.py::test_blocks_run[plugins/causal_disent_tf/README.md]'
	OMP_NUM_THREADS=1 .venv-tf/bin/python -m pytest tests/integrations/test_keras.py
	OMP_NUM_THREADS=1 .venv-ray/bin/python -m pytest plugins/causal_disent_ray
	OMP_NUM_THREADS=1 .venv-ray/bin/python -m pytest tests/training/test_trackers.py --no-header --quiet -k trackio

# The core without plugins and extras: what scores two matrices. SCRIPTS=Scripts on Windows.
SCRIPTS ?= bin
WITH_TESTS := hypothesis pytest pytest-xdist setuptools
CORE_TESTS := tests/metrics tests/data tests/graphs tests/runs/test_score.py tests/runs/test_score_inputs.py \
	tests/test_tables.py tests/test_layers.py causal_disent/metrics causal_disent/data causal_disent/graphs
test-core:
	test -x .venv-core/$(SCRIPTS)/python || $(PYTHON) -m venv .venv-core
	.venv-core/$(SCRIPTS)/python $(INSTALL) $(WITH_TESTS) --editable .
	OMP_NUM_THREADS=1 .venv-core/$(SCRIPTS)/python -m pytest --numprocesses 2 $(CORE_TESTS)

# The same with the lowest versions that setup.cfg allows.
test-lowest:
	test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	$(PYTHON) .ci/lowest.py setup.cfg > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint .venv-lowest/constraints.txt $(WITH_TESTS) --editable .
	OMP_NUM_THREADS=1 .venv-lowest/bin/python -m pytest --numprocesses 2 $(CORE_TESTS)

# The same on the Pythons of newer Debian suites, each in a folder that debootstrap makes; needs root. 0.8 GB a suite.
SUITES ?= trixie sid
test-pythons:
	for suite in $(SUITES); do bash .ci/python_of_suite.sh $$suite $(CORE_TESTS) || exit 1; done

# Slow: what has arithmetic in it, once per setting; all are tried before it fails. CPUS=... tries one.
test-cpus: $(INSTALLED) $(TENSORFLOW)
	@failed=; for cpu in $(CPUS); do for part in $(NUMERIC); do \
		echo "== $$cpu: $$part"; \
		env $$(echo $$cpu | tr + ' ') $(PYTEST) --quiet $$(echo $$part | tr + ' ') || failed="$$failed $$cpu"; \
	done; done; test -z "$$failed" || { echo "failed under:$$failed"; exit 1; }

# Long: the same programs that `make test` runs shortly, with another seed each time; FUZZ_SEED=... repeats one.
FUZZ_SEED ?= $(shell date +%s)
FUZZ := OMP_NUM_THREADS=1 CAUSAL_DISENT_FUZZ_SEED=$(FUZZ_SEED) CAUSAL_DISENT_FUZZ_CALLS=10000 \
	CAUSAL_DISENT_FUZZ_FILES=3000 CAUSAL_DISENT_FUZZ_STORIES=200 CAUSAL_DISENT_FUZZ_BINDINGS=3000 \
	CAUSAL_DISENT_FUZZ_COMMANDS=1000 CAUSAL_DISENT_FUZZ_KILLS=50 CAUSAL_DISENT_FUZZ_TREES=1000 $(BIN)/python -m pytest
fuzz: $(INSTALLED)
	@echo "FUZZ_SEED=$(FUZZ_SEED)"
	$(FUZZ) tests/robustness
	$(FUZZ) plugins/causal_disent_torch/tests/test_readers_mutated.py

# The site, in build/site; a warning is an error. `make docs OPEN=serve` serves it while one writes.
docs: $(INSTALLED)
	$(BIN)/python $(INSTALL) mkdocs mkdocs-material mkdocstrings-python
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs $(or $(OPEN),build)

# sdists and wheels of every distribution, checked, and run where nothing of this checkout is on the path.
dist: $(INSTALLED)
	$(BIN)/python $(INSTALL) build twine wheel
	$(BIN)/python .ci/dist.py dist

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED) $(PEER) $(RAY) $(TENSORFLOW)
	$(BIN)/python benchmarks/bench_start.py
	$(BIN)/python benchmarks/bench_beside.py
	$(BIN)/python benchmarks/bench_pure.py
	$(BIN)/python benchmarks/bench_core.py
	$(BIN)/python benchmarks/parity.py
	$(BIN)/python benchmarks/bench_metrics.py
	$(BIN)/python benchmarks/bench_suite.py
	$(BIN)/python benchmarks/bench_suite.py --data candle_mini --encoded \
		--runs mig irs unsupervised modularity sap factor_vae beta_vae reduced fairness strong
	$(BIN)/python benchmarks/bench_mic.py
	$(BIN)/python benchmarks/bench_datasets.py
	$(BIN)/python benchmarks/bench_crl.py
	$(BIN)/python benchmarks/bench_crl_shadow.py
	$(BIN)/python benchmarks/bench_torch.py
	$(BIN)/python benchmarks/bench_monitor.py
	.venv-tf/bin/python benchmarks/bench_tf.py --torch $(BIN)/python
	$(BIN)/python benchmarks/bench_cg.py
	$(BIN)/python benchmarks/bench_checkpoints.py
	$(BIN)/python benchmarks/dlib_wheel_tests.py
	$(BIN)/python benchmarks/bench_study.py --ray .venv-ray/bin/python

# disentanglement_lib itself, to compare with; it no longer runs with its own dependencies.
$(PEER):
	$(PYTHON) -m venv .venv-peer
	.venv-peer/bin/python -m pip install --quiet --disable-pip-version-check --no-deps disentanglement_lib==1.5
	touch $@

$(CORE): setup.cfg pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	test -e $(INSTALLED) || $(BIN)/python $(INSTALL) --editable .
	touch $@

$(INSTALLED): setup.cfg pyproject.toml constraints.txt $(addsuffix /setup.cfg,$(PLUGINS))
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --editable '.[test,keras,lightning,torchmetrics,transformers]' \
		--editable 'plugins/causal_disent_datasets[h5]' \
		--editable plugins/causal_disent_candle --editable plugins/causal_disent_crl \
		--editable 'plugins/causal_disent_torch[tensorboard,test]' --editable plugins/disentanglement_lib
	touch $@

# A browser for the tests of the report: the system's, installed where this may be done; else they are skipped.
$(BROWSER): $(INSTALLED)
	command -v chromium >/dev/null || command -v google-chrome >/dev/null \
		|| { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
			&& { apt-get install --yes --quiet chromium || { apt-get update --quiet && apt-get install --yes --quiet chromium; }; }; } \
		|| echo 'Chromium cannot be installed here: tests of the report in a browser will be skipped'
	touch $@

# TensorFlow apart, so that nothing else can come to need it; the build without GPU libraries is a third of the size.
$(TENSORFLOW): setup.cfg constraints.txt plugins/causal_disent_tf/setup.cfg
	test -x .venv-tf/bin/python || $(PYTHON) -m venv .venv-tf
	grep --invert-match h5py constraints.txt > .venv-tf/constraints.txt  # TensorFlow wants an older one
	.venv-tf/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-tf/constraints.txt \
		tensorflow-cpu hypothesis pytest --editable .
	.venv-tf/bin/python $(INSTALL) --no-deps --editable plugins/causal_disent_tf
	touch $@

# Ray and trackio apart as well: they bring many packages, and only their own tests need them.
$(RAY): setup.cfg constraints.txt plugins/causal_disent_ray/setup.cfg
	test -x .venv-ray/bin/python || $(PYTHON) -m venv .venv-ray
	grep --invert-match pillow constraints.txt > .venv-ray/constraints.txt  # trackio wants an older one
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-ray/constraints.txt \
		ray hypothesis pytest --editable '.[trackio]'
	.venv-ray/bin/python $(INSTALL) --no-deps --editable plugins/causal_disent_ray
	touch $@

# Blender as a module exists for some versions of Python only; without it the tests that render are skipped.
$(BLENDER):
	test -x .venv-bpy/bin/python || $(PYTHON) -m venv .venv-bpy
	.venv-bpy/bin/python -m pip install --quiet --disable-pip-version-check 'bpy==4.5.*' \
		|| echo 'bpy cannot be installed here: tests that render will be skipped'
	touch $@

clean:
	rm -rf $(VENV) .venv-tf .venv-bpy .venv-peer .venv-ray .venv-core .venv-lowest .pythons output build *.egg-info
