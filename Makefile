# Everything below happens inside .venv; "make run" and "make test" set it up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
STAMP := $(VENV)/installed-for-developers
ENGINE := gauss_opt/simulation/engine
SOURCES := hatch_build.py $(ENGINE)/sources.py $(shell find $(ENGINE)/native -name '*.[ch]')

.PHONY: run test check lint types validate gallery tolerances bench soak engine sanitize clean

run: $(INSTALLED)  ## a first look: one case, checked, with pictures, a report and a film in out/
	$(BIN)/gauss-opt run bouncing_ball --out out --animation out/bouncing_ball/bounce.gif

test: $(STAMP)  ## all tests
	$(BIN)/python -m pytest -q -n auto --dist worksteal

check: lint types test  ## what CI runs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

validate: $(STAMP)  ## every figure of every case beside its reference; fails when one is off
	$(BIN)/gauss-opt validate --every-qp osqp --every-qp cvxpy --write docs/validation.md

gallery: $(STAMP)  ## the pictures of README and docs/gallery.md, from actual runs
	$(BIN)/python docs/make_gallery.py

tolerances: $(STAMP)  ## docs/tolerances.md, from the table in the package
	$(BIN)/python docs/make_tolerances.py

# Peers are optional: a Python that has Siconos, and one that has MuJoCo. The page says which ran.
SICONOS ?= /usr/bin/python3
MUJOCO ?= $(BIN)/python
bench: $(STAMP)  ## every benchmark, next to other codes where they are installed
	$(BIN)/python benchmarks/costs/page.py --siconos $(SICONOS) --mujoco $(MUJOCO) \
	    --write docs/benchmarks.md

MINUTES ?= 20
soak: $(STAMP)  ## random problems and scenes for MINUTES; what it finds goes to out/soak/
	$(BIN)/python benchmarks/soak.py --minutes $(MINUTES) --json out/soak.json

engine: $(STAMP)  ## compile the engine beside its sources, for work on them
	$(BIN)/python hatch_build.py

# The package as a wheel, compiled with checks of every access and every operation, and its tests.
SANITIZED := out/sanitized
SANITIZERS := -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
sanitize: $(STAMP)  ## tests of the engine under the address and undefined-behaviour sanitizers (gcc)
	rm -rf $(SANITIZED)
	CC=gcc CFLAGS="$(SANITIZERS)" LDFLAGS="-fsanitize=address,undefined" \
	    GAUSS_OPT_BUILD_ENGINE=required $(BIN)/hatchling build -t wheel -d $(SANITIZED)
	cd $(SANITIZED) && $(CURDIR)/$(BIN)/python -m zipfile -e *.whl .
	PYTHONPATH=$(CURDIR)/$(SANITIZED) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	    LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	    $(BIN)/pytest -q -p no:cacheprovider tests/test_engine*.py

$(INSTALLED): pyproject.toml $(SOURCES)  # what running needs
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $(INSTALLED)

$(STAMP): $(INSTALLED)  # what working on it needs
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis out
