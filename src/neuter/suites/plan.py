"""What an evaluation does, settled before it begins: the corpus, the schemes, the attackers, the models."""

from __future__ import annotations

import hashlib
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from neuter import plugins
from neuter._version import __version__
from neuter.errors import CorpusError, NeuterError, PluginError
from neuter.suites.spending import Spending
from neuter.types import Ask, Attacker, Guess, MaskedDocument, NeedsModel, Progress, Scheme

if TYPE_CHECKING:
    import polars as pl

    from neuter.corpus import Corpus
    from neuter.scoring.identification import Scored

_T = TypeVar("_T")

#: Makes a connected model of a name; used as a context manager.
Connect = Callable[[str], AbstractContextManager[Ask]]


class Scoring(Protocol):
    """What scores depend on beside truth and guesses: the suite's name, the seed, and the bootstrap's draws."""

    @property
    def suite(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def draws(self) -> int: ...


class Scorer(Protocol):
    """Scores one scheme, attacker and model; ``prior`` are the same model's guesses without a text."""

    def __call__(
        self, how: Scoring, truth: pl.DataFrame, guesses: pl.DataFrame, prior: pl.DataFrame | None = None
    ) -> Scored: ...


#: Documents that a model inside the process is asked about unless told otherwise: it reads some 120 tokens a second.
LOCAL_SAMPLE = 8


#: Baselines: their guesses are the same under every scheme, so there is nothing to compare.
READS_NO_TEXT = frozenset({"prior", "majority"})
#: As of when a document's size is told: its own month, or its year's start (a portfolio formed then).
SizeAsOf = Literal["month", "year"]


def quiet(_stage: str, _done: int, _total: int | None) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Plan:
    """One evaluation.

    ``reference`` is what a linkage attacker may know (None: the corpus's own full texts, and the masked ones).
    ``full_masked_reference`` masks that whole reference too; otherwise the masked reference is the texts that the run
    masked anyway. ``model_sample`` is how many documents a model is asked about (None: all; for ``local/`` models 8).
    ``breakpoints`` is a file of market-cap percentiles, or "corpus" for the corpus's own (None: the shipped ones of the
    NYSE). ``required`` names what the user asked for: if it cannot run, that is a failure and not only a note.
    ``suite`` is the name in the scores' first column, and ``scorer`` scores one scheme, attacker and model for it
    (None: as ``neuter.scoring`` does); they decide nothing that is asked of a model. Of ``spending``, which
    decides nothing of the result, an evaluation takes the outcomes that are asked for again.
    """

    corpus: Corpus
    schemes: Sequence[Scheme]
    attackers: Sequence[Attacker]
    models: Sequence[str] = ()
    masker: str | None = None
    reference: Corpus | None = None
    full_masked_reference: bool = False
    model_sample: int | None = None
    breakpoints: Path | Literal["corpus"] | None = None
    size_as_of: SizeAsOf = "month"
    seed: int = 0
    draws: int = 2000
    required: frozenset[str] = frozenset()
    connect: Connect | None = None
    progress: Progress = field(default=quiet)
    suite: str = "evaluate"
    scorer: Scorer | None = None
    spending: Spending = field(default_factory=Spending)

    def configuration(self) -> dict[str, Any]:
        """Everything that decides the result, for ``run.json`` and its hash."""
        return {
            "neuter": __version__,
            "corpus": self.corpus.data_hash(),
            "source": self.corpus.name,
            "schemes": [described(s) for s in self.schemes],
            "attackers": [described(a) for a in self.attackers],
            "models": list(self.models),
            "masker": self.masker,
            "reference": self.reference.data_hash() if self.reference else None,
            "full_masked_reference": self.full_masked_reference,
            "model_sample": self.model_sample,
            "breakpoints": _hashed(self.breakpoints),
            "size_as_of": self.size_as_of,
            "firms": _firms_hash(),
            "seed": self.seed,
            "draws": self.draws,
        }

    def sample_of(self, model: str) -> int | None:
        """How many documents ``model`` is asked about; None for all."""
        return sample_of(model, self.model_sample)


def _hashed(breakpoints: Path | str | None) -> str | None:
    """What decides the sizes: a file's bytes, whatever its name.

    Raises:
        CorpusError: the file cannot be read.
    """
    if breakpoints is None or breakpoints == "corpus":
        return breakpoints
    try:
        return f"sha256:{hashlib.sha256(Path(breakpoints).read_bytes()).hexdigest()}"
    except OSError as error:
        raise CorpusError(
            f"breakpoints cannot be read ({error.strerror})", where=str(breakpoints), todo="Give a CSV file"
        ) from error


def _firms_hash() -> str | None:
    """Of the user's own firms, if there are any."""
    from neuter.firms import firms_hash

    return firms_hash()


def sample_of(model: str, wanted: int | None) -> int | None:
    """How many documents ``model`` is asked about (None for all) where the user wants ``wanted`` (0 for all)."""
    if wanted is None and model.startswith("local/"):
        return LOCAL_SAMPLE
    return wanted or None


def described(thing: Scheme | Attacker) -> dict[str, Any]:
    """A scheme or attacker as its name and parameters, and the hash of its file where it is the user's own."""
    source = plugins.source_hash(thing)
    own = {"source": source} if source else {}
    return {"name": thing.name, "parameters": plugins.parameters(thing), **own}


def needs_model(thing: object) -> bool:
    """True for a scheme or attacker that asks a language model."""
    return isinstance(thing, NeedsModel)


def models_of(plan: Plan, attacker: Attacker) -> tuple[str | None, ...]:
    """The models that an attacker works through, one after the other; None where it needs none."""
    return tuple(plan.models) if needs_model(attacker) else (None,)


def watched(made: Iterable[_T], progress: Progress, stage: str, total: int | None = None) -> Iterator[_T]:
    """The same things, with the progress told as they pass.

    Raises:
        PluginError: a scheme or attacker raised something that is not neuter's own error.
    """
    done = 0
    progress(stage, 0, total)
    source = iter(made)
    while True:
        try:
            one = next(source)
        except StopIteration:
            break
        except NeuterError:
            raise
        except Exception as error:  # a user's own class may raise anything; where it did is what they need
            raise PluginError(
                f"{stage} failed after {done} documents: {type(error).__name__}: {error}", where=_place(error)
            ) from error
        done += 1
        yield one
        progress(stage, done, total)
    progress(stage, done, done)


def guesses_in_step(
    attack: Callable[[Iterable[MaskedDocument]], Iterable[Guess]],
    documents: Iterable[MaskedDocument],
    stage: str,
    model: str | None = None,
) -> Iterator[Guess]:
    """An attacker's guesses, one for each document and in order, or an error: a document left out would be lost.

    A guess that does not name the model it was asked of gets ``model``.

    Raises:
        PluginError: a guess is missing, too many, or of another document.
    """
    waiting: deque[str] = deque()

    def seen() -> Iterator[MaskedDocument]:
        for document in documents:
            waiting.append(document.id)
            yield document

    for guess in attack(seen()):
        expected = waiting.popleft() if waiting else None
        if not isinstance(guess, Guess) or guess.id != expected:
            got = repr(guess.id) if isinstance(guess, Guess) else type(guess).__name__
            raise PluginError(f"{stage}: a guess of {got} came in the place of {expected!r}")
        yield guess if guess.model or model is None else replace(guess, model=model)
    if waiting:
        raise PluginError(f"{stage}: no guess of {waiting[0]!r} ({len(waiting)} documents in all)")


def _place(error: BaseException) -> str:
    """File and line where an exception was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
