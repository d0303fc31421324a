"""One papermill run in a kernel of this very interpreter."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import papermill
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from vuedocs.errors import StorageError


class OwnKernelManager(AsyncKernelManager):
    """Starts ``python3`` as this interpreter: a kernel that somebody installed under that name would be another Python."""

    def __init__(self, **options: Any) -> None:
        super().__init__(kernel_spec_manager=KernelSpecManager(kernel_dirs=[]), **options)


def run_papermill(notebook: Any, values: Mapping[str, Any], output: Path, *, title: str, cwd: Path) -> str:
    """Executes a notebook into ``output``; why its kernel ended early, ``""`` when it did not (a cell may still have failed).

    Raises StorageError when the output cannot be written.
    """
    try:
        papermill.execute_notebook(
            notebook,
            str(output).replace("{", "{{").replace("}", "}}"),  # papermill formats paths with the parameters
            parameters=dict(values),
            kernel_name="python3",
            language="python",
            kernel_manager_class=OwnKernelManager,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],  # else each kernel warns that it listens on this machine
            progress_bar={"desc": title, "file": sys.stderr, "disable": None},
            cwd=str(cwd),
        )
    except papermill.PapermillExecutionError:
        return ""  # the output holds the error; what it was is read from there
    except DeadKernelError:
        return "the kernel died (killed, out of memory, or ended by the code itself)"
    except CellTimeoutError as error:
        return f"the cell took too long: {error}"
    except RuntimeError as error:
        return f"the kernel could not be used: {error}"
    except OSError as error:
        raise StorageError(f"{output} cannot be written: {error}; make the folder writable") from error
    return ""
