"""The scheme `entity-neutering`: the paper's prompt word for word, and no text where the model gave none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from neuter import prompts
from neuter.errors import MaskingError
from neuter.masking.entity_neutering import EntityNeutering
from neuter.types import Document, NeedsModel, Outcome, Request, Response


class Echo:
    """A model that returns prepared responses and keeps the requests."""

    model = "fake/echo"

    def __init__(self, *responses: tuple[Outcome, str | None]) -> None:
        self.prepared, self.requests = list(responses), []

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        for request, (outcome, text) in zip(requests, self.prepared, strict=False):
            self.requests.append(request)
            yield Response(request.id, outcome, text)


def test_the_prompt_is_sent_as_printed_with_the_text_in_its_slot():
    model = Echo((Outcome.ANSWERED, "Company_1 grew."))
    (one,) = EntityNeutering().connect(model).mask([Document("d", "Apple [Opening Statement] grew.")])
    (request,) = model.requests
    ((role, content),) = request.messages
    assert role == "user"
    assert content.startswith("Your role is to ANONYMIZE all text that is provided by the user.")
    assert content.endswith("output the anonymized text and nothing else.\n\nApple [Opening Statement] grew.")
    assert (one.text, one.replacements, one.outcome) == ("Company_1 grew.", None, Outcome.ANSWERED)


@pytest.mark.parametrize(
    ("outcome", "text", "expected"),
    [
        (Outcome.FAILED, None, Outcome.FAILED),
        (Outcome.TRUNCATED, "Company_1 gr", Outcome.TRUNCATED),
        (Outcome.REFUSED, "I cannot.", Outcome.REFUSED),
        (Outcome.ANSWERED, "  ", Outcome.UNPARSED),
    ],
)
def test_a_call_without_a_usable_answer_leaves_no_text(outcome: Outcome, text: str | None, expected: Outcome):
    (one,) = EntityNeutering().connect(Echo((outcome, text))).mask([Document("d", "secret")])
    assert one.text is None
    assert one.outcome is expected
    assert one.reason


def test_without_a_model_it_says_so():
    scheme = EntityNeutering()
    assert isinstance(scheme, NeedsModel)
    with pytest.raises(MaskingError, match="--masker"):
        list(scheme.mask([Document("d", "text")]))


def test_the_prompts_are_the_papers_word_for_word(shared_data: Path):
    paper = (shared_data.parent / "seeds" / "the-memorization-problem.txt").read_text(encoding="utf-8")
    for name in ("anonymization", "identification"):
        assert prompts.load(name).template.strip() in paper


def test_a_model_that_returns_the_text_as_it_was_has_not_masked_it():
    (one,) = (
        EntityNeutering()
        .connect(Echo((Outcome.ANSWERED, " Apple grew.\n")))
        .mask([Document("d", "Apple grew.")])
    )
    assert (one.text, one.outcome, one.reason) == (
        None,
        Outcome.UNPARSED,
        "the model returned the text unchanged",
    )
