"""``neuter.mask``, ``neuter.unmask`` and ``preview``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.api import asking
from neuter.api.asked_models import masker_of
from neuter.api.option_names import check_options, names_of
from neuter.api.reaching import paid_once, reaching
from neuter.errors import MaskingError, UsageError
from neuter.suites.plan import quiet, watched
from neuter.suites.spending import spending
from neuter.types import Document, MaskedDocument, Progress, Scheme

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from neuter.corpus import Corpus


@dataclass(frozen=True)
class Masked:
    """A corpus under one scheme. ``failed`` names the documents that have no masked text, and why.

    ``notes`` are what the model that masked has to tell of itself, ``asked`` what was asked and spent.
    """

    scheme: str
    documents: tuple[MaskedDocument, ...]
    failed: tuple[tuple[str, str], ...] = ()
    path: Path | None = None
    written: int = 0
    notes: tuple[str, ...] = ()
    asked: str = ""

    def to_polars(self) -> pl.DataFrame:
        """Columns id, kind, text, scheme, and how many spans were replaced (null for a scheme that rewrites)."""
        import polars as pl

        return pl.DataFrame(
            {
                "id": [d.id for d in self.documents],
                "kind": [d.kind for d in self.documents],
                "text": [d.text for d in self.documents],
                "scheme": [d.scheme for d in self.documents],
                "replaced": [None if d.replacements is None else len(d.replacements) for d in self.documents],
            },
            schema_overrides={"text": pl.String, "replaced": pl.Int64},
        )

    def to_pandas(self) -> pd.DataFrame:
        """The same for pandas."""
        from neuter.reports.pandas_frames import pandas_of

        return pandas_of(self.to_polars(), nullable=("replaced",))

    def __iter__(self) -> Iterator[MaskedDocument]:
        return iter(self.documents)


def mask(
    corpus: Any,
    *,
    scheme: str | Scheme = "rules",
    out: str | Path | None = None,
    key: str | Path | None = None,
    model: str | None = None,
    firms: str | Path | Sequence[str | Path] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    store: str | Path | None = None,
    config: str | Path | None = None,
    max_cost: float | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    retry: str | Iterable[str] = (),
    batch: bool = False,
    progress: Progress = quiet,
    **reading: Any,
) -> Masked:
    """Mask a corpus with one scheme: into the file ``out``, or, without it, in memory.

    Args:
        corpus: a corpus, or anything that :func:`neuter.read_corpus` takes; ``reading`` goes to it.
        key: a file for the originals (mode 0600), with which :func:`unmask` restores the texts.
        model: the model for a scheme that needs one.
        firms: files of the user's own firms, beside those that ship (:func:`neuter.firms.use_firms`).
        max_cost, max_requests, max_minutes: what this call may spend (each call is a run of its own).
        retry, batch: as of :func:`neuter.evaluate`.

    Raises:
        LimitReached: what was answered is in the store, and the same call goes on from there.

    Returns:
        What was masked. A document that failed is absent and named in ``failed``, never passed on unmasked.
    """
    from neuter.corpus import read_corpus

    spent = spending(max_cost, max_requests, max_minutes, retry, batch)
    check_options(reading, names_of(mask, read_corpus), whose="neuter.mask")
    if key is not None and out is None:
        raise UsageError("a key goes with a masked file", todo="Give out= (--out) as well")
    read = asking.a_corpus(corpus, **reading)
    (chosen,) = asking.schemes([scheme], parameters)
    masker_of([chosen], model, ())
    if key is not None and not chosen.reversible:
        raise MaskingError(
            f"the scheme {chosen.name!r} rewrites, so there is nothing to restore by",
            todo="Leave the key out",
        )
    with (
        asking.own_firms(firms),
        reaching(
            paid_once("mask", out),
            store=asking.path(store),
            config=asking.path(config),
            spending=spent,
            progress=progress,
        ) as reached,
        asking.connected(chosen, model, reached) as ready,
    ):
        texts = ready.fit(read.documents()).mask(read.documents())
        masked = _written(read, chosen.name, watched(texts, progress, f"masking: {chosen.name}"), out, key)
    return replace(masked, notes=tuple(reached.notes), asked=reached.sentence)


def _written(
    read: Corpus, scheme: str, made: Iterable[MaskedDocument], out: str | Path | None, key: str | Path | None
) -> Masked:
    """Masked documents in memory, or in the file ``out``."""
    from neuter.corpus import write_masked

    if out is None:
        documents = tuple(_accepted(read.documents(), made))
        return Masked(scheme, documents, tuple((d.id, d.reason) for d in documents if d.text is None))
    summary = write_masked(Path(out), read, made, key=None if key is None else Path(key))
    return Masked(scheme, (), tuple(summary.failed), Path(out), summary.written)


def unmask(masked: str | Path, key: str | Path, out: str | Path) -> int:
    """Restore the original texts of a masked file with its key; returns how many there were."""
    from neuter.corpus import unmask_corpus

    return unmask_corpus(Path(masked), Path(key), Path(out))


def preview(
    corpus: Any,
    *,
    scheme: str | Scheme = "rules",
    documents: int = 3,
    model: str | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    store: str | Path | None = None,
    config: str | Path | None = None,
    progress: Progress = quiet,
    **reading: Any,
) -> list[tuple[Document, MaskedDocument]]:
    """The first few documents of a corpus, each with its masked text."""
    from neuter.corpus import read_corpus

    check_options(reading, names_of(preview, read_corpus), whose="neuter.preview")
    read = asking.a_corpus(corpus, **reading)
    (chosen,) = asking.schemes([scheme], parameters)
    masker_of([chosen], model, ())
    first = list(islice(read.documents(), documents))
    with (
        reaching(
            paid_once("preview"), store=asking.path(store), config=asking.path(config), progress=progress
        ) as reached,
        asking.connected(chosen, model, reached) as ready,
    ):
        made = watched(ready.fit(read.documents()).mask(first), progress, f"masking: {chosen.name}")
        return list(zip(first, _accepted(first, made), strict=True))


def _accepted(documents: Iterable[Document], made: Iterable[MaskedDocument]) -> Iterator[MaskedDocument]:
    """Masked documents as a file would take them: usable, and following from their replacements."""
    from neuter.corpus import prove, usable

    for document, mask in zip(documents, made, strict=True):
        taken = usable(mask)
        prove(document, taken)
        yield taken
