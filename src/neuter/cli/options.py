"""Options that mean the same in every command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, overload

import typer

from neuter.errors import UsageError
from neuter.models.configuration import TABLES

_READING, _MODELS, _OUTPUT = "Reading the corpus", "Models", "Output"

CorpusArgument = Annotated[
    str,
    typer.Argument(
        help="A file (.jsonl, .csv, .parquet), a folder of texts, a glob, or corpora:NAME.", metavar="CORPUS"
    ),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help='Map a column: text="Body Text".', metavar="FIELD=NAME", rich_help_panel=_READING
    ),
]
Preset = Annotated[
    str | None, typer.Option("--preset", help="A shipped set of column names.", rich_help_panel=_READING)
]
Opening = Annotated[
    int | None,
    typer.Option(
        "--opening",
        min=1,
        help="Keep the first N characters of each text.",
        metavar="N",
        rich_help_panel=_READING,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="Only the first N documents.", metavar="N", rich_help_panel=_READING),
]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample",
        min=1,
        help="N documents, seeded and stratified by size.",
        metavar="N",
        rich_help_panel=_READING,
    ),
]
SkipInvalid = Annotated[
    bool, typer.Option("--skip-invalid", help="Leave bad rows out, and count them.", rich_help_panel=_READING)
]
Seed = Annotated[int, typer.Option("--seed", help="Every random draw comes from it.")]
SchemeName = Annotated[
    str, typer.Option("--scheme", help="none, presidio, rules, entity-neutering, or path/to/mine.py:Class.")
]
Model = Annotated[
    str | None, typer.Option("--model", help="PROVIDER/NAME, as in neuter.toml.", rich_help_panel=_MODELS)
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="Repeatable. PROVIDER/NAME. Default: the embedded model, if installed.",
        rich_help_panel=_MODELS,
    ),
]
Masker = Annotated[
    str | None,
    typer.Option(
        "--masker", help="The model that masks. Default: the first --model.", rich_help_panel=_MODELS
    ),
]
ModelSample = Annotated[
    int | None,
    typer.Option(
        "--model-sample",
        min=0,
        help="Ask models about N documents, stratified by size; 0: all. Default: all, and 8 for local/ models.",
        metavar="N",
        rich_help_panel=_MODELS,
    ),
]
Breakpoints = Annotated[
    str | None,
    typer.Option(
        "--breakpoints",
        help="Market-cap percentiles by month (CSV), or 'corpus' for the corpus's own. Default: the NYSE's that ship.",
        metavar="FILE|corpus",
    ),
]
SizeAsOf = Annotated[
    str,
    typer.Option(
        "--size-as-of",
        help="month: the document's; year: one size a firm and calendar year.",
        metavar="month|year",
    ),
]
Firms = Annotated[
    list[Path] | None,
    typer.Option(
        "--firms", help="Repeatable. Your own firms, beside those that ship (CSV, Parquet, JSON Lines)."
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace a run of another configuration.", rich_help_panel=_OUTPUT),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Say how many requests and tokens it would take and what they would cost, and stop.",
        rich_help_panel=_MODELS,
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store", help="The SQLite file of responses (default: the user's cache).", rich_help_panel=_MODELS
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", help="Providers, and parameters of schemes and attackers (TOML).", rich_help_panel=_MODELS
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Machine-readable on standard output, the rest on standard error.",
        rich_help_panel=_OUTPUT,
    ),
]


@overload
def lasting(name: str) -> str: ...
@overload
def lasting(name: None) -> None: ...
def lasting(name: str | None) -> str | None:
    """A path that means the same from any working folder; a name that is no path stays as it is."""
    if name is None:
        return None
    file, colon, rest = name.partition(".py:")
    if colon:
        return f"{Path(f'{file}.py').absolute()}:{rest}"
    return str(Path(name).absolute()) if Path(name).exists() else name


def lasting_breakpoints(given: str | None) -> str | None:
    """A file's path from any working folder, or the word for the corpus's own."""
    return given if given in (None, "corpus") else str(Path(str(given)).absolute())


def lasting_files(given: list[Path] | None) -> list[str] | None:
    """Paths that mean the same from any working folder."""
    return [str(file.absolute()) for file in given] if given else None


def reading(
    column: list[str] | None = None,
    preset: str | None = None,
    opening: int | None = None,
    limit: int | None = None,
    sample: int | None = None,
    skip_invalid: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """The options of ``read_corpus`` that were given."""
    given = {
        "columns": columns(column),
        "preset": preset,
        "opening": opening,
        "limit": limit,
        "sample": sample,
        "skip_invalid": skip_invalid,
        "seed": seed if sample else None,
    }
    return {key: value for key, value in given.items() if value}


def columns(pairs: list[str] | None) -> dict[str, str]:
    """``FIELD=NAME`` options as a map.

    Raises:
        UsageError: an option without an equals sign.
    """
    mapped = {}
    for pair in pairs or ():
        field, equals, name = pair.partition("=")
        if not (field and equals and name):
            raise UsageError(
                f"--column {pair!r} does not fit", todo='Write FIELD=NAME, such as text="Body Text"'
            )
        mapped[field.strip()] = name.strip().strip("\"'")
    return mapped


def parameters(config: Path | None) -> dict[str, dict[str, Any]]:
    """Constructor parameters of schemes and attackers from the tables [schemes.NAME] and [attackers.NAME].

    Raises:
        UsageError: no such file, or it is not TOML.
    """
    import tomllib

    if config is None:
        return {}
    try:
        raw = tomllib.loads(config.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(config)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"is not TOML ({error})", where=str(config)) from error
    for table in raw:
        if table not in TABLES:
            raise UsageError(
                f"unknown table [{table}]", where=str(config), todo=f"Known: {', '.join(TABLES)}"
            )
    return {**_named_tables(raw, "schemes", config), **_named_tables(raw, "attackers", config)}


def _named_tables(raw: dict[str, Any], name: str, config: Path) -> dict[str, dict[str, Any]]:
    found = raw.get(name, {})
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise UsageError(f"{name} is not a set of tables", where=str(config), todo=f"Write [{name}.NAME]")
    return found
