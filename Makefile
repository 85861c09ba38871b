# Everything below happens inside .venv; "make run" and "make test" set it up by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed

.PHONY: run test check lint types bench clean

run: $(STAMP)  ## a first look: one case, checked, with pictures and a report in out/
	$(BIN)/gauss-opt run bouncing_ball --out out

test: $(STAMP)  ## all tests
	$(BIN)/python -m pytest -q

check: lint types test  ## what CI runs

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

bench: $(STAMP)  ## tables of timings, as ratios
	$(BIN)/python benchmarks/inner_path.py

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis out
