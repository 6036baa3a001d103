"""Arguments of the public functions turned into schemes, attackers, corpora and models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args

from neuter import plugins
from neuter.errors import Interrupted, UsageError
from neuter.suites.plan import Connect, SizeAsOf, needs_model
from neuter.types import Ask, Attacker, NeedsModel, Scheme

if TYPE_CHECKING:
    from neuter.corpus import Corpus
    from neuter.suites.run_folder import RunFolder

_Thing = TypeVar("_Thing", Scheme, Attacker)

#: The model inside the process, used when nothing else is named and ``[local]`` is installed.
EMBEDDED = "local/smollm2-135m"


def several(given: Any) -> tuple[Any, ...]:
    """What was given as a sequence: one name, path or thing is a sequence of one, and None of none.

    A string is a sequence of its letters to Python, and never to a person.

    >>> several("rules"), several(["none", "rules"]), several(None)
    (('rules',), ('none', 'rules'), ())
    """
    if given is None:
        return ()
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def a_corpus(source: Any, **options: Any) -> Corpus:
    """``source`` if it is a corpus already, else read."""
    from neuter.corpus import Corpus, read_corpus

    if isinstance(source, Corpus):
        if any(value not in (None, False, 0) for value in options.values()):
            raise UsageError(
                "reading options do not apply to a corpus that is read already",
                todo="Give them to read_corpus",
            )
        return source
    return read_corpus(source, **options)


def schemes(
    named: str | Scheme | Sequence[str | Scheme], parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Scheme]:
    """Schemes by name or as they are; no two under one name."""
    return _made("scheme", several(named), parameters or {})


def attackers(
    named: str | Attacker | Sequence[str | Attacker],
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Attacker]:
    """Attackers by name or as they are; no two under one name."""
    return _made("attacker", several(named), parameters or {})


def _made(kind: str, named: Sequence[Any], parameters: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    if not named:
        raise UsageError(f"no {kind} is named", todo=f"Known: {', '.join(plugins.names(kind))}")
    made = [_one(kind, one, parameters) for one in dict.fromkeys(named)]
    names = [one.name for one in made]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two {kind}s are called {name!r}", todo="Give one of the classes another name")
    return made


def _one(kind: str, one: Any, parameters: Mapping[str, Mapping[str, Any]]) -> Any:
    """The thing itself, or made from its name with the parameters given under that name or its class's own."""
    if isinstance(one, str):
        own = getattr(plugins.load(kind, one), "name", one)
        one = plugins.create(kind, one, **{**parameters.get(str(own), {}), **parameters.get(one, {})})
    plugins.check_complete(kind, one, Scheme if kind == "scheme" else Attacker)
    return one


def embedded_model_installed() -> bool:
    """True where the package that runs the embedded model can be imported."""
    return find_spec("xllamacpp") is not None


def models_at_hand() -> tuple[str, ...]:
    """What is asked where nobody names a model: the embedded one, if it is installed."""
    return (EMBEDDED,) if embedded_model_installed() else ()


@contextmanager
def connected(
    thing: _Thing, model: str | None, connect: Connect, *, through: Callable[[Ask], Ask] = lambda asked: asked
) -> Iterator[_Thing]:
    """A scheme or attacker, connected to ``model`` if it works through one; ``through`` what goes between the two.

    Raises:
        UsageError: it needs a model and none is named.
    """
    if not needs_model(thing):
        yield thing
        return
    if model is None:
        raise UsageError(f"{thing.name!r} works through a model", todo="Name one with --model PROVIDER/NAME")
    with connect(model) as asked:
        yield cast(_Thing, cast(NeedsModel, thing).connect(through(asked)))


def path(given: str | Path | None) -> Path | None:
    """A path, however it was given."""
    return None if given is None else Path(given)


def breakpoints(given: str | Path | None) -> Path | Literal["corpus"] | None:
    """A file of breakpoints, or the word that stands for the corpus's own."""
    return "corpus" if given == "corpus" else path(given)


def size_as_of(given: str) -> SizeAsOf:
    """As of when sizes are told.

    Raises:
        UsageError: it is neither of the two.
    """
    if given not in get_args(SizeAsOf):
        raise UsageError(f"no size as of {given!r}", todo=f"Known: {', '.join(get_args(SizeAsOf))}")
    return cast(SizeAsOf, given)


@contextmanager
def own_firms(files: str | Path | Sequence[str | Path] | None) -> Iterator[None]:
    """The user's own firms beside those that ship, as long as this lasts; None leaves things as they are.

    Raises:
        CorpusError: a file of firms cannot be read.
    """
    if files is None:
        yield
        return
    from neuter.firms import firms_in_use, use_firms

    before = firms_in_use()
    use_firms(*map(Path, several(files)))
    try:
        yield
    finally:
        use_firms(*before)


def run_path(out: str | Path | None, stem: str, configuration: Mapping[str, Any]) -> Path:
    """Where a run is kept: ``out``, or a folder named after the corpus or suite and the configuration."""
    from neuter.suites.run_folder import config_hash

    return Path(out) if out else Path("neuter-runs") / f"{stem}-{config_hash(configuration)[:8]}"


@contextmanager
def run_folder(
    at: Path, configuration: Mapping[str, Any], *, command: str, overwrite: bool, reads: Iterable[Path]
) -> Iterator[RunFolder]:
    """An open run folder; what is done stays when the user stops it.

    Raises:
        Interrupted: the user stopped it; the message says how to go on.
    """
    from neuter.suites.run_folder import RunFolder

    with RunFolder.open(at, configuration, command=command, overwrite=overwrite, reads=reads) as folder:
        try:
            yield folder
        except KeyboardInterrupt as stop:
            raise Interrupted(
                "interrupted; what is done is kept",
                where=str(at),
                todo="The same command goes on from there",
            ) from stop
