# Everything that a fresh machine needs is Python >= 3.11, git and make; what else there is goes into .venv.
#
#   make demo     install, ingest, run the notebooks, evaluate, answer one question (DOCS=folder: from these docs)
#   make test     the whole test suite                  make check    ruff, mypy, the house tests
#   make eval     notebooks and bench with the gate     make lab      JupyterLab on notebooks/
#   make serve    the MCP server over HTTP              make clean    remove .venv and caches, keep all data
#
# PYTHON=python3.12 chooses the interpreter, PYTEST="-x tests/query" what is tested; `make eval` takes SOURCE (vue where DOCS or
# VUEDOCS_DOCS names docs, else the sample) and BENCH="--set search.fusion=rrf", which the gate holds against the baseline.

SHELL := /bin/sh
VENV := .venv
RUN := $(VENV)/bin/python
SOURCE ?= $(if $(strip $(DOCS)$(VUEDOCS_DOCS)),vue,sample)
PIP := $(RUN) -m pip install --quiet --no-input --disable-pip-version-check -c constraints.txt

ifeq ($(strip $(VUEDOCS_HOME)),)
VUEDOCS_HOME := $(CURDIR)/.vuedocs
endif
export VUEDOCS_HOME
ifneq ($(strip $(DOCS)),)
# Whole, because a kernel of JupyterLab works in notebooks/; abspath would take a folder with a space apart.
export VUEDOCS_DOCS := $(if $(filter /% ~%,$(firstword $(DOCS))),$(DOCS),$(CURDIR)/$(DOCS))
endif

.PHONY: help demo test check eval lab serve clean FORCE
.DELETE_ON_ERROR:

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//; p' Makefile

demo: $(VENV)/installed
	@$(RUN) -m vuedocs.demo

test: $(VENV)/installed-test
	@$(RUN) -m pytest $(PYTEST)

check: $(VENV)/installed-test
	@$(RUN) -m ruff check --output-format concise .
	@$(RUN) -m mypy
	@$(RUN) -m pytest tests/test_house.py

eval: $(VENV)/installed
	@$(RUN) -m vuedocs.cli ingest $(SOURCE)
	@$(RUN) -m vuedocs.cli run -p source=$(SOURCE)
	@$(RUN) -m vuedocs.cli bench --source $(SOURCE) --baseline evals/baselines/$(SOURCE) --gate $(BENCH)

lab: $(VENV)/installed
	@$(RUN) -m jupyterlab notebooks

serve: $(VENV)/installed
	@$(RUN) server.py --http

clean:
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis vuedocs.egg-info
	@find vuedocs tests -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "Removed $(VENV) and caches. Kept: $(VUEDOCS_HOME) (index, remembered vectors) and evals/runs."

# Installation is repeated only when what it depends on has changed; pip is quiet, so say in words what takes so long.
$(VENV)/installed: pyproject.toml constraints.txt $(VENV)/folder
	@echo "Installing vuedocs into $(VENV) (about 3 minutes the first time) ..."
	@$(PIP) -e . || { echo "error: pip could not install vuedocs (reason above); run make again to go on." >&2; exit 2; }
	@touch $@

$(VENV)/installed-test: pyproject.toml constraints.txt $(VENV)/folder
	@echo "Installing vuedocs and its test tools into $(VENV) (about 3 minutes the first time) ..."
	@$(PIP) -e '.[test]' || { echo "error: pip could not install vuedocs (reason above); run make again to go on." >&2; exit 2; }
	@touch $(VENV)/installed $@

# The environment, made when there is none or when its interpreter is gone. It remembers the checkout's folder: in a copy or
# after a move the editable installation would go on running the code of the old place.
$(VENV)/folder: FORCE
	@if $(RUN) -m pip --version >/dev/null 2>&1; then \
	  wanted="$(PYTHON)"; \
	  if [ -n "$$wanted" ] && [ "$$("$$wanted" -c '$(version)' 2>&1)" != "$$($(RUN) -c '$(version)')" ]; then \
	    echo "error: $(VENV) has Python $$($(RUN) -c '$(version)'), not that of PYTHON=$$wanted; run make clean first." >&2; exit 2; \
	  fi; \
	else \
	  $(find_python); \
	  echo "Making $(VENV) with Python $$("$$python" -c '$(version)') ..."; \
	  "$$python" -m venv --clear $(VENV) || { \
	    echo "error: $$python could not make $(VENV) (reason above); choose another interpreter with PYTHON=..." >&2; exit 2; }; \
	fi; \
	[ "$$(cat $@ 2>/dev/null)" = "$(CURDIR)" ] || echo "$(CURDIR)" > $@

version := import platform; print(platform.python_version())
# Exit code 3: too old; 4: no venv or ensurepip (Debian packages them apart); other: cannot be run at all (a pyenv shim).
suitable := import sys, importlib.util as u; \
  sys.exit(3 if sys.version_info < (3, 11) else 0 if u.find_spec("ensurepip") and u.find_spec("venv") else 4)

# Sets $$python to the first suitable interpreter, or ends with the reason and the remedy.
define find_python
python=; bare=; \
for each in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
  "$$each" -c '$(suitable)' >/dev/null 2>&1; \
  case $$? in 0) python="$$each"; break;; 4) bare="$$each";; esac; \
done; \
if [ -z "$$python" ] && [ -n "$$bare" ]; then \
  echo "error: $$bare lacks venv or ensurepip, so $(VENV) cannot be made; on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; \
elif [ -z "$$python" ]; then \
  echo "error: no Python >= 3.11 among: $(or $(PYTHON),python3.13 python3.12 python3.11 python3); install one, or name one with PYTHON=/path/to/python" >&2; exit 2; \
fi
endef
