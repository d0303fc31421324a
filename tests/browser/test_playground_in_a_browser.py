"""The playground in a real browser: JupyterLab opens it without a warning, all cells run, a slider moves and the answer changes.

Needs Chromium (``apt install chromium``) and the extra ``browser`` (``pip install -e '.[browser]'``); then run
``pytest tests/browser``. Screenshots are kept in ``evals/runs/browser/``.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 300_000
"""Milliseconds that cells may take on a busy machine."""
SETTINGS: dict[str, dict[str, Any]] = {
    "notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
    "apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
}
"""All cells are in the page, also those that are out of sight; and nothing is fetched from outside."""
WARNING = ".jp-Dialog, .jp-toast-warning, .jp-toast-error, .Toastify__toast--warning, .Toastify__toast--error"


@pytest.fixture(scope="module")
def executable() -> str:
    pytest.importorskip("playwright.sync_api", reason="no playwright: pip install -e '.[browser]'")
    found = os.environ.get("VUEDOCS_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed, and VUEDOCS_CHROMIUM names none")
    return found


@pytest.fixture(scope="module")
def artefacts(project: Path) -> Path:
    folder = project / "evals" / "runs" / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def lab(
    executable: str, project: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a JupyterLab over a copy of the playground that asks the sample docs."""
    sample_home = request.getfixturevalue("sample_home")  # only now: without a browser nothing is ingested
    place = tmp_path_factory.mktemp("lab")
    desk = place / "notebooks"
    desk.mkdir()
    notebook = json.loads((project / "notebooks" / "00_playground.ipynb").read_text(encoding="utf-8"))
    parameters = next(cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", []))
    parameters["source"] = [line.replace('source = "vue"', 'source = "sample"') for line in parameters["source"]]
    (desk / "00_playground.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    settings = place / "JUPYTERLAB_SETTINGS_DIR" / "@jupyterlab"
    for name, content in SETTINGS.items():
        (settings / name).parent.mkdir(parents=True, exist_ok=True)
        (settings / name).write_text(json.dumps(content), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    folders = {name: str(place / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_SETTINGS_DIR")}
    environment = {**os.environ, **folders, "VUEDOCS_HOME": str(sample_home), "PYTHONPATH": str(project)}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={desk}"]
    with (place / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=desk, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/api/status?token={token}", server, place / "server.log")
        yield f"{address}/lab/tree/00_playground.ipynb?token={token}"
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, f"JupyterLab ended: {log.read_text()[-2000:]}"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab does not answer: {log.read_text()[-2000:]}")


@pytest.fixture
def page(executable: str, lab: str, artefacts: Path) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as control:
        browser = control.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = browser.new_page(viewport={"width": 1500, "height": 1300})
        page.set_default_timeout(PATIENCE)
        page.goto(lab)
        yield page
        page.screenshot(path=str(artefacts / "playground-last.png"))  # also of a test that failed
        browser.close()


def test_a_slider_is_moved_and_the_answer_changes(page: Any, artefacts: Path) -> None:
    page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for()
    page.locator(".jp-StatusBar-Widget, #jp-main-statusbar").get_by_text("| Idle").first.wait_for()  # else Run is ignored
    assert page.locator(WARNING).count() == 0, page.locator(WARNING).first.inner_text()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(".vuedocs-answer").nth(1).wait_for(state="attached")
    page.locator(".jp-OutputArea", has_text="Of 8 sliders").last.wait_for(state="attached")
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count() == 0

    answers = page.locator(".vuedocs-answer")
    before = answers.nth(1).inner_text()
    assert "KeepAlive" in before
    page.screenshot(path=str(artefacts / "playground-before.png"))
    slider = page.locator(".widget-hslider", has_text="reconstruct.max_tokens").nth(1)
    slider.locator(".noUi-handle").press("Home")
    page.wait_for_function(
        "before => document.querySelectorAll('.vuedocs-answer')[1].innerText !== before", arg=before, timeout=PATIENCE
    )
    after = answers.nth(1).inner_text()
    assert len(after) < len(before)
    assert "(cut: the address above has the rest)" in after
    assert answers.nth(0).inner_text() != after
    page.screenshot(path=str(artefacts / "playground.png"))
