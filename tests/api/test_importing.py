"""Starting up is light: heavy libraries load when they are used."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "polars",
    "spacy",
    "sklearn",
    "openai",
    "matplotlib",
    "pandas",
    "numpy",
    "jinja2",
    "presidio_analyzer",
    "scipy",
)


def loaded_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split()) & {*HEAVY, "typer", "rich"}


def test_importing_neuter_imports_nothing_heavy():
    assert loaded_after("import neuter") == set()


def test_the_command_line_starts_without_heavy_libraries():
    code = "from neuter.cli.app import run\nimport io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()):\n    run(['--help'])"
    assert loaded_after(code) <= {"typer", "rich"}


def test_public_names_are_there():
    import neuter

    for name in neuter.__all__:
        assert getattr(neuter, name) is not None
