"""What a recall suite would ask of models, in requests and tokens, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neuter.models.tokens import TokenCounter, token_counter
from neuter.suites.estimating import request_row
from neuter.suites.recall.asking import messages_of

if TYPE_CHECKING:
    import polars as pl

    from neuter.suites.recall.suite import RecallSuite
    from neuter.suites.suite import Setting

#: Tokens of an answer, an assumption: {"answer": 4783.45, "confidence": 85} on four lines has 22 in o200k_base, and
#: with a date 37; some models put a fence around it.
ANSWER_TOKENS = {"date_level": 45}
USUAL_ANSWER = 30
_ASSUMED = (
    f"Tokens out are assumed: {USUAL_ANSWER} for an answer, {ANSWER_TOKENS['date_level']} for one with a date. What a "
    "reasoning model thinks is billed as tokens out too, and is not in here."
)
#: Prompts whose tokens are counted, of each kind of question: they differ in a date or a price.
_COUNTED = 64


def requests_of(suite: RecallSuite, setting: Setting) -> list[dict[str, Any]]:
    """A row for each model, kind of question and context, as :meth:`neuter.suites.suite.Suite.requests` has them."""
    questions = suite.questions(setting)
    return [
        _row(model, str(panel), str(condition), part, token_counter(model))
        for model in setting.models
        for (panel, condition), part in questions.group_by("panel", "condition", maintain_order=True)
    ]


def _lengths(questions: pl.DataFrame) -> pl.Series:
    """Characters of each question's messages."""
    return questions["prompt"].str.len_chars() + questions["system"].fill_null("").str.len_chars()


def _row(
    model: str, panel: str, condition: str, questions: pl.DataFrame, counter: TokenCounter
) -> dict[str, Any]:
    counted = questions.gather_every(max(1, questions.height // _COUNTED))
    tokens = [counter.count_messages(messages_of(row)) for row in counted.iter_rows(named=True)]
    # By length, so that a few long days of headlines weigh what they are.
    lengths = _lengths(questions)
    rate = sum(tokens) / max(1, int(_lengths(counted).sum()))
    answer = ANSWER_TOKENS.get(questions["task"][0], USUAL_ANSWER)
    sizes = tuple((length * rate, answer) for length in lengths)
    what = panel.replace("_", " ") + (f", context {condition}" if condition != "none" else "")
    return {**request_row(what, model, sizes, counter.how, requests=len(sizes)), "assumed": _ASSUMED}
