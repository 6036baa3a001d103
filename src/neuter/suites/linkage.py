"""How an evaluation uses the linkage attacker: two references, and the one that is worse for the scheme counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from neuter.suites.plan import Plan, guesses_in_step, needs_model, watched
from neuter.suites.run_folder import RunFolder
from neuter.types import Attacker, Guess, MaskedDocument, Scheme

if TYPE_CHECKING:
    import polars as pl

    from neuter.corpus import Corpus

_REFERENCES = ("raw", "masked")


class LinkageAttacks:
    """The linkage attacks of one evaluation.

    The references are the raw full texts (``--reference``, or the corpus's own), and the texts as the scheme masked
    them. A document is never compared with itself. Only documents whose firm has another document in the reference
    are attacked: the rest cannot be found this way, and would count as safe.
    """

    def __init__(self, plan: Plan, folder: RunFolder, attacker: Attacker, truth: pl.DataFrame) -> None:
        self._plan, self._folder, self._attacker, self._truth = plan, folder, attacker, truth

    def attack(self, scheme: Scheme) -> None:
        """Attack a masked corpus against each reference, and keep the guesses that are worse for the scheme."""
        from neuter.attacks import read_guesses, worse_for_the_scheme, write_guesses

        final = self._folder.guesses(scheme.name, self._attacker.name)
        if final.exists():
            return
        for name in _REFERENCES:
            path = self._kept(scheme, name)
            if not path.exists():
                stage = f"linkage ({name} reference): {scheme.name}"
                guesses = guesses_in_step(self._attack_on(scheme, name), self._attacked(scheme), stage)
                write_guesses(path, watched(guesses, self._plan.progress, stage, len(self.ids)))
        made = {name: read_guesses(self._kept(scheme, name)) for name in _REFERENCES}
        write_guesses(final, made[worse_for_the_scheme(made, self._is_right)])

    def notes(self, scheme: Scheme) -> list[str]:
        """What was left out, and what each reference found."""
        from neuter.attacks import read_guesses

        left = self._truth.height - len(self.ids)
        notes = [
            f"Linkage reports the {len(self.ids)} documents whose firm has two or more; "
            f"{left} of {self._truth.height} were left out."
        ]
        found = {name: read_guesses(self._kept(scheme, name)) for name in _REFERENCES}
        told = ", ".join(
            f"{100 * sum(map(self._is_right, guesses)) / len(guesses):.1f}% with {self._called(name, scheme)}"
            for name, guesses in found.items()
            if guesses
        )
        return (
            [*notes, f"Linkage on {scheme.name}: firm found in {told}; the higher counts."] if told else notes
        )

    def _called(self, name: str, scheme: Scheme) -> str:
        if name == "raw":
            return "the raw full texts as the reference"
        return "the full texts masked" if self._whole(scheme) else "the texts as this run masked them"

    @cached_property
    def ids(self) -> frozenset[str]:
        """Ids of the evaluated documents whose firm has another document in the reference."""
        firms: dict[str, set[str]] = {}
        for id_, label in self._reference_labels():
            if label:
                firms.setdefault(label, set()).add(id_)
        return frozenset(i for i, label in self._labels.items() if label and firms.get(label, set()) - {i})

    @cached_property
    def _labels(self) -> Mapping[str, str]:
        from neuter.firms import labels_of

        return dict(zip(self._truth["id"], labels_of(self._truth), strict=True))

    def _reference_labels(self) -> Iterable[tuple[str, str]]:
        from neuter.firms import labels_of

        options = self._plan.corpus.options
        if self._plan.reference is None and options.limit is None and options.sample is None:
            return self._labels.items()
        frame = self._raw_reference.metadata()
        return zip(frame["id"], labels_of(frame), strict=True)

    @property
    def _raw_reference(self) -> Corpus:
        return self._plan.reference or self._plan.corpus.full()

    @cached_property
    def _against_raw(self) -> Attacker:
        return copy(self._attacker).fit(self._raw_reference.documents())

    def _against(self, scheme: Scheme, name: str) -> Attacker:
        from neuter.corpus import read_masked

        if name == "raw":
            return self._against_raw
        masked = self._masked_reference(scheme) if self._whole(scheme) else self._folder.masked(scheme.name)
        return copy(self._attacker).fit(read_masked(masked).references())

    def _attack_on(self, scheme: Scheme, name: str) -> Callable[[Iterable[MaskedDocument]], Iterator[Guess]]:
        from neuter.attacks.absent import absent
        from neuter.corpus import read_masked

        texts = read_masked(self._folder.masked(scheme.name)).documents()
        if all(document.text is None for document in texts):
            # Nothing was masked, so there is nothing to find a firm by, nor to find it in.
            return lambda documents: (absent(document, self._attacker.name) for document in documents)
        return self._against(scheme, name).attack

    def _whole(self, scheme: Scheme) -> bool:
        """Whether the masked reference is the whole raw one, masked: if asked for, and if it costs no model's calls."""
        return self._plan.full_masked_reference and not needs_model(scheme)

    def _masked_reference(self, scheme: Scheme) -> Path:
        """The whole reference as the scheme masks it, made once."""
        from neuter.corpus import write_masked

        path = self._folder.masked(scheme.name, beside="masked-reference")
        if not path.exists():
            reference = self._raw_reference
            made = scheme.fit(reference.documents()).mask(reference.documents())
            write_masked(
                path, reference, watched(made, self._plan.progress, f"masking the reference: {scheme.name}")
            )
        return path

    def _attacked(self, scheme: Scheme) -> Iterator[MaskedDocument]:
        from neuter.corpus import read_masked

        return (d for d in read_masked(self._folder.masked(scheme.name)).documents() if d.id in self.ids)

    def _kept(self, scheme: Scheme, name: str) -> Path:
        return self._folder.guesses(
            scheme.name, f"{self._attacker.name}-{name}", beside="guesses-by-reference"
        )

    def _is_right(self, guess: Guess) -> bool:
        return bool(guess.firm) and guess.firm == self._labels.get(guess.id)
