"""The runner of notebooks: what papermill lets pass in silence fails loudly here. Each test's notebooks are made in the test."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from vuedocs.bench import default_path, load, select
from vuedocs.bench.judging import write_questions
from vuedocs.cli import main
from vuedocs.errors import NotebookError, UsageError
from vuedocs.notebooks import MIME, published, run_notebooks, runner

TYPES = "code = '007'\nflag = False\ncount = 20\nshare: float = 1\nwords = ['a']\nnothing = None"


class Desk:
    """A folder of notebooks, and one for the outputs of runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runs = folder / "notebooks", folder / "runs"
        self.folder.mkdir()

    def write(self, name: str, *cells: str, parameters: str | None = "source = 'vue'") -> None:
        """A notebook: a title, the parameters, then code."""
        tagged = [new_code_cell(parameters, metadata={"tags": ["parameters"]})] if parameters is not None else []
        content = new_notebook(cells=[new_markdown_cell("# Why?"), *tagged, *map(new_code_cell, cells)])
        nbformat.write(content, self.folder / f"{name}.ipynb")

    def run(self, names: str, *parameters: str) -> list[Path]:
        """Runs notebooks; the outputs."""
        return list(run_notebooks(names.split(), parameters, folder=self.folder, runs=self.runs))

    def outputs(self) -> list[Path]:
        """All that any run left."""
        return sorted(self.runs.rglob("*.ipynb"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def result(*output: Path) -> Any:
    """What notebooks published."""
    return [found["value"] for path in output for found in published(path)]


def publish(expression: str) -> str:
    return f"display({{{MIME!r}: {{'value': {expression}}}}}, raw=True)"


def test_a_run_is_this_interpreter_in_the_project_with_this_environment(
    desk: Desk, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VUEDOCS_HOME", "somewhere")
    kernels = project.parent / "no" / "kernels"
    monkeypatch.setenv("JUPYTER_PATH", str(kernels))
    desk.write("01_a", "import os, sys", publish("[sys.executable, os.getcwd(), os.environ['VUEDOCS_HOME'], source]"))
    [output] = desk.run("01_a", "source=pinia")
    assert result(output) == [[sys.executable, str(project), "somewhere", "pinia"]]
    assert output.name == "01_a.ipynb"
    assert output.parent.parent == desk.runs


def test_another_kernel_under_the_same_name_is_not_used(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tmp_path / "jupyter" / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": ["false"], "display_name": "other", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    desk.write("01_a", publish("1"))
    assert result(*desk.run("01_a")) == [1]


def test_values_are_read_by_the_type_of_the_default(desk: Desk) -> None:
    desk.write("01_a", publish("[code, flag, count, share, words]"), parameters=TYPES)
    output = desk.run("01_a", "code=007", "flag=true", "count=7", "share=0.25", 'words=["x", "y=z"]')
    assert result(*output) == [["007", True, 7, 0.25, ["x", "y=z"]]]


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("flag=1", "flag is of type bool (default False), and '1' is none; write true or false"),
        ("flag=", "flag is of type bool"),
        ("count=007", "count is of type int (default 20), and '007' is none"),
        ("count=7.0", "count is of type int"),
        ("count=١", "count is of type int"),
        ("share=nan", "share is of type float"),
        ("share=1e999", "share is of type float"),
        ("words=x", "words is of type list"),
        ('words={"x": 1}', "words is of type list"),
        ("nothing=x", "nothing is of type NoneType and cannot be given as text"),
        ("cuont=7", "there is no parameter 'cuont'; there are: code, count, flag, nothing, share, words"),
        ("count", "'count' is no parameter; write name=value"),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_runs(desk: Desk, parameter: str, words: str) -> None:
    desk.write("01_a", parameters="source = 'vue'")
    desk.write("02_b", parameters=TYPES)
    with pytest.raises(NotebookError) as caught:
        desk.run("02_b", parameter)
    assert words in str(caught.value)
    assert isinstance(caught.value, UsageError)
    assert caught.value.exit_code == 2
    assert not desk.runs.exists()


def test_a_parameter_goes_to_the_notebooks_that_have_it(desk: Desk) -> None:
    desk.write("01_a", publish("source"))
    desk.write("02_b", publish("[source, top]"), parameters="source = 'vue'\ntop = 3")
    assert result(*desk.run("01_a 02_b", "top=5")) == ["vue", ["vue", 5]]


def test_a_notebook_without_the_tag_is_refused_values_and_runs_without(desk: Desk) -> None:
    desk.write("01_a", publish("1"), parameters=None)
    desk.write("02_b")
    with pytest.raises(NotebookError, match="notebook 01_a has no cell tagged 'parameters', so it would ignore source"):
        desk.run("01_a 02_b", "source=pinia")
    assert result(*desk.run("01_a")) == [1]


def test_a_parameter_given_twice_is_refused(desk: Desk) -> None:
    desk.write("01_a")
    with pytest.raises(NotebookError, match="source is given twice, as 'a' and 'b'"):
        desk.run("01_a", "source=a", "source=b")


def test_an_unknown_notebook_names_those_that_exist(desk: Desk) -> None:
    desk.write("01_a")
    with pytest.raises(NotebookError, match=r"there is no notebook '01_z' in .*; there are: 01_a$"):
        desk.run("01_a 01_z")
    assert not desk.runs.exists()
    assert main(["run", "no_such_notebook"]) == 2


def test_an_error_names_notebook_cell_and_reason_and_keeps_the_output(desk: Desk) -> None:
    desk.write("01_a", "print('so far')", "1 / 0", "print('never')")
    desk.write("02_b")
    with pytest.raises(NotebookError) as caught:
        desk.run("01_a 02_b", "source=pinia")
    [kept] = desk.outputs()
    reason = "notebook 01_a: cell 4 failed: ZeroDivisionError: division by zero"
    assert str(caught.value) == f"{reason}; what was executed is in {kept}"
    assert caught.value.exit_code == 1
    assert "so far" in kept.read_text()


@pytest.mark.parametrize("leave", ["sys.exit(0)", "sys.exit()", "raise SystemExit"])
def test_leaving_early_is_a_failure(desk: Desk, leave: str) -> None:
    desk.write("01_a", f"import sys\n{leave}", "print('never')")
    with pytest.raises(NotebookError, match=r"01_a: cell 3 ends the notebook by sys\.exit"):
        desk.run("01_a")


@pytest.mark.parametrize("end", ["import os; os.kill(os.getpid(), 9)", "import os; os._exit(0)"])
def test_a_dead_kernel_says_which_cell(desk: Desk, end: str) -> None:
    desk.write("01_a", "1", end, "2")
    with pytest.raises(NotebookError, match="01_a: cell 4: the kernel died"):
        desk.run("01_a")


def test_a_cell_that_prints_a_book_leaves_a_page(desk: Desk) -> None:
    desk.write("01_a", "for n in range(20_000): print(n, 'x' * 200)", "[str(n) for n in range(100_000)]", publish("1"))
    [output] = desk.run("01_a")
    text = output.read_text()
    assert len(text) < 200_000
    assert "characters of output left out by vuedocs run" in text
    assert "19999 xxx" in text
    assert result(output) == [1]


def test_many_small_outputs_are_bounded_too(desk: Desk) -> None:
    noise = "import sys\nfor n in range(1500): print('o' * 60, flush=True); print('e' * 60, file=sys.stderr, flush=True)"
    desk.write("01_a", noise)
    [output] = desk.run("01_a")
    assert len(output.read_text()) < 1_000_000
    assert "characters of output left out by vuedocs run" in output.read_text()


def test_a_picture_too_large_to_keep_is_said_to_be_missing() -> None:
    plot = nbformat.v4.new_output("display_data", data={"image/png": "x" * 3_000_000, "text/plain": "plot"})
    cell = new_code_cell(outputs=[plot])
    assert runner.shorten(new_notebook(cells=[cell]))
    assert len(json.dumps(cell)) < 1_000
    assert "3,000,000 characters" in cell.outputs[-1].text


def test_an_output_folder_that_cannot_be_written_is_said(desk: Desk) -> None:
    desk.write("01_a")
    desk.runs.write_text("a file")
    with pytest.raises(Exception, match="the outputs cannot be written to"):
        desk.run("01_a")


def test_the_command_prints_what_notebooks_publish(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = f"display({{{MIME!r}: {{'title': 'Metrics', 'table': 'ndcg 0.8'}}}}, raw=True)"
    desk.write("07_evaluate", table)
    monkeypatch.setattr("vuedocs.commands.run.run_notebooks", lambda names, parameters: iter(desk.run("07_evaluate")))
    assert main(["run", "07_evaluate"]) == 0
    assert capsys.readouterr().out.endswith("Metrics\n\nndcg 0.8\n")


NOTEBOOKS = list(runner.PIPELINE)
PLOTS = {"01_parse": 1, "02_entities": 2, "03_enrich": 2, "04_hype": 2, "05_embed": 3, "06_store": 1, "07_evaluate": 4}


def stories(source: str, home: Path, runs: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The notebooks 01 to 07 executed on an ingested source, by name."""
    monkeypatch.setenv("VUEDOCS_HOME", str(home))
    outputs = list(run_notebooks([], [f"source={source}"], runs=runs))
    assert [output.stem for output in outputs] == NOTEBOOKS
    return {output.stem: nbformat.read(output, as_version=4) for output in outputs}


def expect_whole(books: dict[str, Any], runs: Path) -> dict[str, Any]:
    """Checks that each notebook shows its plots, tables and findings and nothing else; what 07 published."""
    for name, book in books.items():
        outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
        said = [output.text for output in outputs if output.output_type == "stream"]
        assert said == [], f"{name} says {said}"
        kinds = [kind for output in outputs for kind in output.data]
        assert kinds.count("image/png") == PLOTS[name], name
        assert any("<b>Findings</b>" in output.data.get("text/html", "") for output in outputs), name
    [evaluation] = published(next(runs.rglob("07_evaluate.ipynb")))
    return dict(evaluation)


def test_the_notebooks_tell_the_story_of_the_sample_docs(
    sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VUEDOCS_DOCS", raising=False)
    for name in ("JINA_API_KEY", "GEMINI_API_KEY", "VUEDOCS_TOKENS"):
        monkeypatch.setenv(name, "s3cretPlanted0123456789abcdef")
    books = stories("sample", sample_home, tmp_path, monkeypatch)
    assert not any("s3cretPlanted" in output.read_text() for output in tmp_path.rglob("*.ipynb")), "no notebook shows a key"
    evaluation = expect_whole(books, tmp_path)
    assert evaluation["metrics"]["split"] == "dev"
    assert evaluation["metrics"]["metrics"]["ndcg@10"]["mean"] > 0.4
    assert "BM25 alone" in evaluation["table"]
    assert "nothing has changed, so nothing was published" in json.dumps(books["06_store"])


def test_the_notebooks_tell_the_story_of_the_real_docs(
    vue_home: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VUEDOCS_DOCS", str(corpus))
    evaluation = expect_whole(stories("vue", vue_home, tmp_path, monkeypatch), tmp_path)
    assert evaluation["metrics"]["n"] >= 50
    assert evaluation["metrics"]["metrics"]["ndcg@10"]["mean"] > 0.6


def test_the_readme_names_every_notebook_with_its_question(project: Path) -> None:
    named = re.findall(r"^\| `(\d\d_\w+)` \| .+\? \|$", (project / "README.md").read_text(encoding="utf-8"), re.M)
    assert named == sorted(path.stem for path in (project / "notebooks").glob("*.ipynb"))
    assert set(NOTEBOOKS) <= set(named)


DESKS = {
    "08_ablate": (3, []),
    "09_tune": (4, ["trials=3", 'sweeps={"search.sparse_weight": [0.3]}', 'space={"search.leg_depth": [20, 100]}']),
}
"""Notebooks beside the pipeline's: how many plots each shows, and what else it is run with."""


def test_what_a_researcher_plays_with_runs_headless_on_the_real_docs(
    vue_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VUEDOCS_HOME", str(vue_home))
    few = [question for split in ("dev", "test") for question in select(load(default_path("vue")), split)[:8]]  # type: ignore[arg-type]
    write_questions(few, tmp_path / "few.jsonl")
    for name, (plots, parameters) in DESKS.items():
        [output] = run_notebooks([name], [f"source={tmp_path / 'few.jsonl'}", *parameters], runs=tmp_path / "runs")
        outputs = [output for cell in nbformat.read(output, as_version=4).cells for output in cell.get("outputs", [])]
        assert [output.text for output in outputs if output.output_type == "stream"] == [], name
        assert [kind for output in outputs for kind in output.data].count("image/png") == plots, name
        assert any("<b>Findings</b>" in output.data.get("text/html", "") for output in outputs), name
