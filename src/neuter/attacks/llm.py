"""The language-model attacker: the identification prompt of appendix B.6 of The Memorization Problem, and for
headlines one of ours that is adapted from it."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self, get_args

from neuter.attacks.absent import absent
from neuter.attacks.answered import connected, guess_of_response, outcome_of, prompt_of, sent_parameters
from neuter.errors import ModelError, UsageError
from neuter.prompts import load
from neuter.types import Ask, Document, Guess, MaskedDocument, Request, Response

#: Where the text stands: in the prompt's slot, or in a user message after the prompt as system message.
Layout = Literal["single", "system"]


class LLM:
    """Asks a language model which firm, industry, quarter and year a masked text is of; of a headline, which date.

    Args:
        layout: "single" sends one user message, the prompt as the paper prints it with the text in its slot;
            "system" sends the prompt as system message and the text as user message.
        max_tokens: the longest answer; None leaves it to the server (a limit cuts a reasoning model off).
        temperature: None leaves it to the server (some models accept no other value than theirs).
    """

    name: ClassVar[str] = "llm"
    _model: Ask | None = None

    def __init__(
        self, *, layout: Layout = "single", max_tokens: int | None = None, temperature: float | None = 0.0
    ) -> None:
        self.layout = layout
        self.max_tokens = max_tokens
        self.temperature = temperature

    def connect(self, model: Ask) -> Self:
        """A copy of this attacker that asks ``model``."""
        attacker = copy.copy(self)
        attacker._model = model
        return attacker

    def fit(self, reference: Iterable[Document]) -> Self:  # noqa: ARG002  (it knows what its model knows)
        """Nothing to learn; the reference is not read."""
        return self

    def attack(self, documents: Iterable[MaskedDocument]) -> Iterator[Guess]:
        """One guess a document, in order. A document without text is not sent and gets a ``FAILED`` guess.

        Raises:
            ModelError: no model is connected.
            UsageError: ``layout`` is not one of the two.
        """
        model = connected(self._model, self.name)
        if self.layout not in get_args(Layout):
            raise UsageError(f"unknown layout {self.layout!r}", todo="Use 'single' or 'system'")
        # Documents read and not yet answered: as many as the model's queue reads ahead.
        waiting: deque[MaskedDocument] = deque()
        for response in model.ask(self._requests(documents, waiting, model)):
            while waiting and waiting[0].text is None:
                yield absent(waiting.popleft(), self.name, model.model)
            yield guess_of_response(_asked_about(waiting, response, model), response, self.name, model.model)
        for document in waiting:
            yield absent(document, self.name, model.model)

    def messages(self, text: str, kind: str = "transcript") -> tuple[tuple[str, str], ...]:
        """The (role, content) pairs sent for a ``text`` of this kind."""
        prompt = load(prompt_of(kind))
        if self.layout == "system":
            return (("system", prompt.fill("")), ("user", text))
        return (("user", prompt.fill(text)),)

    def _requests(
        self, documents: Iterable[MaskedDocument], waiting: deque[MaskedDocument], model: Ask
    ) -> Iterator[Request]:
        for document in documents:
            waiting.append(document)
            if document.text is not None:
                settings = self._settings(model, document.kind)
                messages = self.messages(document.text, document.kind)
                yield Request(document.id, messages, settings, outcome_of=outcome_of)

    def _settings(self, model: Ask, kind: str) -> Mapping[str, Any]:
        limits = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        return sent_parameters(model, prompt_of(kind), **limits)


def _asked_about(waiting: deque[MaskedDocument], response: Response, model: Ask) -> MaskedDocument:
    """The document that ``response`` is about, taken from the front of the queue."""
    document = waiting.popleft() if waiting else None
    if document is None or document.id != response.id:
        place = repr(document.id) if document else "no request"
        raise ModelError(
            f"the answer about {response.id!r} came in the place of {place}",
            where=model.model,
            todo="A model must answer requests one by one, in their order",
        )
    return document
