"""What the suite would ask of models, in requests and tokens, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neuter.models.tokens import TokenCounter, token_counter
from neuter.suites.estimating import request_row
from neuter.suites.ignorance.wording import WITH_REASONING

if TYPE_CHECKING:
    from neuter.suites.ignorance.suite import Ignorance
    from neuter.suites.suite import Setting

#: Tokens of an answer, an assumption: {"probability": 0.35} with a fence around it has about 15 in o200k_base, and a
#: chain of thought in a few sentences some 200 more.
ANSWER_TOKENS = {False: 15, True: 220}
#: What a judge writes of a chain of thought, and how long the prompt around it is.
JUDGE_TOKENS, JUDGE_PROMPT = 90, 400
#: Prompts whose tokens are counted, of each condition; the others' follow from their length.
_COUNTED = 64
_ASSUMED = (
    f"Tokens out are assumed: {ANSWER_TOKENS[False]} for a probability, {ANSWER_TOKENS[True]} with a chain of thought. "
    "What a reasoning model thinks is billed as tokens out too, and is not in here."
)


def requests_of(suite: Ignorance, setting: Setting) -> list[dict[str, Any]]:
    """A row for each model and condition, and for the judge, as :meth:`neuter.suites.suite.Suite.requests` has them."""
    prompts = suite.prompts(setting).partition_by("condition", as_dict=True, maintain_order=True)
    rows = [
        _row(suite, model, str(condition), part["prompt"].to_list(), token_counter(model))
        for model in setting.models
        for (condition,), part in prompts.items()
    ]
    return [*rows, *_judging(suite, rows)]


def _row(
    suite: Ignorance, model: str, condition: str, prompts: list[str], counter: TokenCounter
) -> dict[str, Any]:
    counted = prompts[:: max(1, len(prompts) // _COUNTED)]
    tokens = sum(counter.count_messages((("user", prompt),)) for prompt in counted)
    rate = tokens / max(1, sum(map(len, counted)))
    answer = ANSWER_TOKENS[condition in WITH_REASONING]
    sizes = tuple((len(prompt) * rate, answer) for prompt in prompts for _ in range(suite.runs))
    what = f"{condition}, {suite.runs} {'run' if suite.runs == 1 else 'runs'} a question"
    return {**request_row(what, model, sizes, counter.how, requests=len(sizes)), "assumed": _ASSUMED}


def _judging(suite: Ignorance, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A request for each chain of thought."""
    if suite.judge is None:
        return []
    traces = [
        size for row in rows if str(row["what"]).split(",")[0] in WITH_REASONING for size in row["sizes"]
    ]
    sizes = tuple((prompt + ANSWER_TOKENS[True] + JUDGE_PROMPT, JUDGE_TOKENS) for prompt, _ in traces)
    if not sizes:
        return []
    how = token_counter(suite.judge).how
    row = request_row("judging chains of thought", suite.judge, sizes, how, requests=len(sizes))
    return [{**row, "assumed": _ASSUMED}]
