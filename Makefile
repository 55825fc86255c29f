# One command from a fresh clone: `make demo` or `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test system check bench clean

# What the demo needs.
.venv/made: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	touch $@

# What the tests, the checks and the benchmarks need besides.
.venv/tools: .venv/made
	$(BIN)/python -m pip install --quiet --editable ".[test,bench]"
	touch $@

demo: .venv/made
	$(BIN)/rosenblatt demo --folder build/demo

# What some tests use besides Python; they are skipped, with the reason, where it is not there and cannot be installed.
system:
	@command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] || exit 0; \
	wanted=""; \
	command -v java >/dev/null || wanted="$$wanted default-jre-headless"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || wanted="$$wanted postgresql"; \
	[ -z "$$wanted" ] || { apt-get update -qq && apt-get install -y -qq $$wanted; } >/dev/null 2>&1 || true

test: .venv/tools system
	$(BIN)/python -m pytest -n auto --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto --dist worksteal tests/oracle tests/theorems tests/unit

check: .venv/tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/tools
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
