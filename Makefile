# The commands of the project; `make run` and `make test` are the two that matter.
.DEFAULT_GOAL := help
.PHONY: help setup run test test-slow coverage check format release bench screenshots messages docs tools clean

PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
INSTALLED := .venv/.installed
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Where nothing compiled is kept, every process compiles Django and SciPy anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /make \1  \t/p' Makefile

$(INSTALLED): pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" sh scripts/check_system.sh
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the dependencies into .venv; the first time takes two or three minutes."
	@$(BIN)/pip install --quiet --no-compile -c constraints.txt -e ".[dev]"
	@touch $@

setup: $(INSTALLED) ## virtual environment, dependencies, translations, fonts, database in var/
	@$(BIN)/python scripts/messages.py compile
	@$(BIN)/python manage.py migrate --verbosity 0
	-@$(BIN)/python manage.py subset_fonts >/dev/null

run: setup ## web server and worker on http://127.0.0.1:$(PORT), with the demo; Ctrl-C ends both
	@PORT="$(PORT)" exec $(BIN)/python scripts/run.py

test: setup ## the tests, within minutes; ARGS=tests/review runs only those
	@exec sh scripts/test.sh $(ARGS)

test-slow: setup ## drills, other programs, bounds on speed, and every test on PostgreSQL
	@exec sh scripts/test_slow.sh

coverage: setup ## all tests without the browser, with the share of lines and branches that it runs
	@$(BIN)/pytest -q -n "$${LOTSAWA_TEST_WORKERS:-2}" --dist worksteal -m "not browser" --cov $(ARGS)

check: $(INSTALLED) ## lint, format, types, import contracts, templates, migrations, schema
	@exec sh scripts/check.sh

format: $(INSTALLED) ## write code, templates and styles the way `check` wants them
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .
	@$(BIN)/python -m scripts.template_format
	@$(BIN)/python scripts/format_styles.py

release: check ## refuse to tag a version that lacks a translation
	@$(BIN)/python scripts/messages.py check --complete

bench: setup ## every benchmark; one JSON line a figure
	@exec sh scripts/bench.sh $(ARGS)

screenshots: setup ## take the documentation's pictures anew, by the tests that drive the pages
	@LOTSAWA_WRITE_SCREENSHOTS=1 $(BIN)/pytest -q tests/browser/take_pictures.py tests/browser/test_whole_way.py

tools: ## the programs that must open a release, for tests only, in .venv-tools (1 GB)
	@test -x .venv-tools/bin/inspect || { $(PYTHON) -m venv .venv-tools && \
		.venv-tools/bin/pip install --quiet -c constraints-tools.txt \
		datasets mlcroissant lm_eval inspect_ai openai; }
	@test -x .venv-tools/citation/bin/cffconvert || { $(PYTHON) -m venv .venv-tools/citation && \
		.venv-tools/citation/bin/pip install --quiet -c constraints-citation.txt cffconvert; }

messages: $(INSTALLED) ## collect the texts of code and templates into locale/
	@$(BIN)/python scripts/messages.py update

docs: $(INSTALLED) ## write docs/checks from the classes of the checks
	@$(BIN)/python scripts/check_pages.py

clean: ## remove caches; keeps .venv and var/
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis htmlcov .coverage*
