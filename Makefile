# Everything below happens inside .venv; "make run" and "make test" set it up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed

.PHONY: run test check lint types validate gallery tolerances bench soak clean

run: $(STAMP)  ## a first look: one case, checked, with pictures and a report in out/
	$(BIN)/gauss-opt run bouncing_ball --out out

test: $(STAMP)  ## all tests
	$(BIN)/python -m pytest -q -n auto --dist worksteal

check: lint types test  ## what CI runs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

validate: $(STAMP)  ## every figure of every case beside its reference; fails when one is off
	$(BIN)/gauss-opt validate --write docs/validation.md

gallery: $(STAMP)  ## the pictures of README and docs/gallery.md, from actual runs
	$(BIN)/python docs/make_gallery.py

tolerances: $(STAMP)  ## docs/tolerances.md, from the table in the package
	$(BIN)/python docs/make_tolerances.py

bench: $(STAMP)  ## tables of timings, as ratios
	$(BIN)/python benchmarks/inner_path.py

MINUTES ?= 20
soak: $(STAMP)  ## random problems and scenes for MINUTES; what it finds goes to out/soak/
	$(BIN)/python benchmarks/soak.py --minutes $(MINUTES) --json out/soak.json

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis out
