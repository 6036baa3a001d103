"""What a guess is worth that reads no text: the model's own prior, and the most frequent class."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar, Self

from neuter.attacks.absent import absent
from neuter.attacks.answered import connected, guess_of_response, outcome_of, prompt_of, sent_parameters
from neuter.attacks.knowledge import Found, Period, firm_of, period_of
from neuter.errors import UsageError
from neuter.prompts import load
from neuter.types import Ask, Document, Guess, MaskedDocument, Request


class Prior:
    """The identification prompt of appendix B.6 without a text: one call, one guess for every document.

    Headlines have a prompt of their own, and so a call and a guess of their own.

    Args:
        max_tokens: the longest answer; None leaves it to the server.
        temperature: None leaves it to the server.
    """

    name: ClassVar[str] = "prior"
    _model: Ask | None = None

    def __init__(self, *, max_tokens: int | None = None, temperature: float | None = 0.0) -> None:
        self.max_tokens = max_tokens
        self.temperature = temperature

    def connect(self, model: Ask) -> Self:
        """A copy of this attacker that asks ``model``."""
        attacker = copy.copy(self)
        attacker._model = model
        return attacker

    def fit(self, reference: Iterable[Document]) -> Self:  # noqa: ARG002  (no text, no reference)
        """Nothing to learn; the reference is not read."""
        return self

    def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]:
        """The same guess for each document that has a text, though none of the texts is read.

        Raises:
            ModelError: no model is connected.
        """
        model = connected(self._model, self.name)
        guesses: dict[str, Guess] = {}
        for document in documents:
            if document.text is None:
                yield absent(document, self.name, model.model)
                continue
            prompt = prompt_of(document.kind)
            if prompt not in guesses:
                guesses[prompt] = self._asked(document, prompt, model)
            yield replace(guesses[prompt], id=document.id, scheme=document.scheme)

    def _asked(self, document: MaskedDocument, prompt: str, model: Ask) -> Guess:
        settings = sent_parameters(model, prompt, max_tokens=self.max_tokens, temperature=self.temperature)
        request = Request("prior", (("user", load(prompt).fill("")),), settings, outcome_of=outcome_of)
        (response,) = model.ask([request])
        return guess_of_response(document, response, self.name, model.model)


class Majority:
    """The most frequent firm, industry and period of the reference, whatever the text.

    Args:
        candidates: how many firms a guess ranks at most.
    """

    name: ClassVar[str] = "majority"
    _frequent: Found | None = None

    def __init__(self, *, candidates: int = 20) -> None:
        self.candidates = candidates

    def fit(self, reference: Iterable[Document]) -> Self:
        """Count the reference; equal counts go by firm label, earlier period and sector name.

        The year is the most frequent year, and the quarter the most frequent one within it: the best
        constant for the year first, and for the quarter where the two can be had in one guess.
        """
        firms: Counter[str] = Counter()
        periods: Counter[Period] = Counter()
        sectors: Counter[str] = Counter()
        for document in reference:
            firms.update(filter(None, [firm_of(document)]))
            periods.update(filter(None, [period_of(document)]))
            sectors.update(filter(None, [document.sector]))
        ranked = sorted(firms, key=lambda firm: (-firms[firm], firm))[: self.candidates]
        self._frequent = Found(
            firms=tuple(ranked),
            scores=tuple(firms[firm] / firms.total() for firm in ranked),
            period=_frequent_period(periods),
            sector=min(sectors, key=lambda sector: (-sectors[sector], sector), default=None),
        )
        return self

    def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]:
        """The same guess for each document that has a text; ``scores`` are shares of the reference.

        Raises:
            UsageError: ``fit`` was not called.
        """
        found = self._frequent
        if found is None:
            raise UsageError("the majority attacker has no reference", todo="Call fit(reference) first")
        for document in documents:
            if document.text is None:
                yield absent(document, self.name)
                continue
            yield found.guess(document, self.name)


def _frequent_period(periods: Counter[Period]) -> Period | None:
    years: Counter[int] = Counter()
    for period, count in periods.items():
        years[period.year] += count
    if not years:
        return None
    year = min(years, key=lambda each: (-years[each], each))
    within = [period for period in periods if period.year == year]
    return min(within, key=lambda period: (-periods[period], period.rank))
