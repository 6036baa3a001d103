"""Arguments of the public functions turned into schemes, attackers, corpora and models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from neuter import plugins
from neuter.errors import UsageError
from neuter.suites.plan import needs_model
from neuter.types import Ask, Attacker, NeedsModel, Progress, Scheme

if TYPE_CHECKING:
    from neuter.corpus import Corpus

_Thing = TypeVar("_Thing", Scheme, Attacker)

#: The model inside the process, used when nothing else is named and ``[local]`` is installed.
EMBEDDED = "local/smollm2-135m"


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
    named: Sequence[str | Scheme], parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Scheme]:
    """Schemes by name or as they are; no two under one name."""
    return _made("scheme", named, parameters or {})


def attackers(
    named: Sequence[str | Attacker], parameters: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Attacker]:
    """Attackers by name or as they are; no two under one name."""
    return _made("attacker", named, parameters or {})


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


def check_configured(model: str, config: Path | None) -> None:
    """Refuse a model whose provider nobody configured, before anything is done.

    Raises:
        ModelError: the message says how to configure it.
    """
    from neuter.models.engines import find_engine

    find_engine(model, config)


def connector(
    store: Path | None = None, config: Path | None = None, say: Callable[[str], None] = lambda _: None
) -> Callable[[str], AbstractContextManager[Ask]]:
    """How models are reached: connected, and checked (configured? key there?) before any document is spent.

    Whether a server answers shows at the first request that the store cannot answer: a run whose answers are all
    stored works with the server gone.
    """

    @contextmanager
    def connection(name: str) -> Iterator[Ask]:
        from neuter.models import connect, pull
        from neuter.models.local import is_installed
        from neuter.models.weights import is_pulled

        if name.startswith("local/") and is_installed() and not is_pulled(name):
            say(f"pulling the weights of {name}, once")
            pull(name)
        with connect(name, store=store, config=config) as model:
            model.check(online=False)
            yield model

    return connection


@contextmanager
def connected(
    thing: _Thing, model: str | None, store: str | Path | None, config: str | Path | None, progress: Progress
) -> Iterator[_Thing]:
    """A scheme or attacker, connected to ``model`` if it works through one.

    Raises:
        UsageError: it needs a model and none is named.
    """
    if not needs_model(thing):
        yield thing
        return
    if model is None:
        raise UsageError(f"{thing.name!r} works through a model", todo="Name one with --model PROVIDER/NAME")
    connect = connector(path(store), path(config), lambda told: progress(told, 0, None))
    with connect(model) as asked:
        yield cast(_Thing, cast(NeedsModel, thing).connect(asked))


def path(given: str | Path | None) -> Path | None:
    """A path, however it was given."""
    return None if given is None else Path(given)
