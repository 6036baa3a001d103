"""The scheme ``entity-neutering``: a language model rewrites the text under the paper's anonymization prompt.

The prompt is quoted word for word from The Memorization Problem, appendix B.6 (adapted there from Engelberg et
al., 2025). A model rewrites, so there are no offsets and no key, and a call that fails leaves no text at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from typing import Any, ClassVar, Literal, Self

from neuter import prompts
from neuter.errors import MaskingError
from neuter.types import Ask, Document, MaskedDocument, Outcome, Request, Response


class EntityNeutering:
    """Masks through a language model; connect it to one before use.

    Parameters:
        layout: ``single`` sends the prompt with the text in its slot as one user message, as the paper prints it;
            ``system`` sends the prompt as the system message and the text as the user's.
        temperature: sent as it is; None sends none.
        max_tokens: the longest answer; None leaves it to the server.
    """

    name: ClassVar[str] = "entity-neutering"
    reversible: ClassVar[bool] = False

    def __init__(
        self,
        layout: Literal["single", "system"] = "single",
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        self.layout = layout
        self.temperature = temperature
        self.max_tokens = max_tokens
        self._model: Ask | None = None

    def connect(self, model: Ask) -> Self:
        """A copy that asks ``model``."""
        connected = copy(self)
        connected._model = model
        return connected

    def fit(self, documents: Iterable[Document]) -> Self:  # noqa: ARG002
        return self

    def mask(self, documents: Iterable[Document]) -> Iterator[MaskedDocument]:
        """One masked document for each document.

        Raises:
            MaskingError: no model is connected.
        """
        if self._model is None:
            raise MaskingError(
                f"the scheme {self.name!r} needs a model", todo="Name one with --masker PROVIDER/NAME"
            )
        # Documents read and not yet answered: as many as the model's queue reads ahead.
        asked: deque[Document] = deque()
        for response in self._model.ask(self._requests(documents, asked)):
            yield self._masked(response, asked.popleft())

    def _requests(self, documents: Iterable[Document], asked: deque[Document]) -> Iterator[Request]:
        for document in documents:
            asked.append(document)
            yield Request(
                document.id,
                self._messages(document.text),
                self._parameters(),
                outcome_of=partial(_outcome_of, document.text),
            )

    def _messages(self, text: str) -> tuple[tuple[str, str], ...]:
        prompt = prompts.load("anonymization")
        if self.layout == "system":
            return (("system", prompt.fill("")), ("user", text))
        return (("user", prompt.fill(text)),)

    def _parameters(self) -> dict[str, Any]:
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {key: value for key, value in given.items() if value is not None}

    def _masked(self, response: Response, document: Document) -> MaskedDocument:
        text = (response.text or "").strip()
        unchanged = text == document.text.strip()
        outcome = response.outcome
        if outcome is Outcome.ANSWERED:
            outcome = _outcome_of(document.text, text)
        if outcome is Outcome.ANSWERED:
            return MaskedDocument(document.id, text, self.name, document.kind, None)
        reason = response.reason or _why(text, unchanged, outcome)
        return MaskedDocument(document.id, None, self.name, document.kind, None, outcome, reason)


def _outcome_of(original: str, answer: str) -> Outcome:
    """No text, and the original as it was, are no masked text."""
    return Outcome.UNPARSED if answer.strip() in ("", original.strip()) else Outcome.ANSWERED


def _why(text: str, unchanged: bool, outcome: Outcome) -> str:
    if unchanged:
        return "the model returned the text unchanged"
    return f"the answer was {outcome}" if text else "the model returned no text"
