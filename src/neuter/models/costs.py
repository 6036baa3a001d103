"""What a call will probably cost, and what it has cost, in US dollars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neuter.models.prices import Price
from neuter.models.replies import Answer
from neuter.models.store import Store

#: A rough rule for English text: good enough to reserve by, and far quicker than a tokenizer.
CHARACTERS_A_TOKEN = 4
#: Tokens of an answer that is expected where nothing else says how long it will be.
EXPECTED_ANSWER = 300
#: Tokens around each message (role and marks).
_AROUND = 4
_TOKEN_LIMITS = ("max_completion_tokens", "max_tokens")


class Costs:
    """Estimates calls of one model at a price, and learns from the answers how long they are."""

    def __init__(self, price: Price | None, seen: tuple[int, int] = (0, 0)) -> None:
        """``seen``: answers that are known of the model already, and the tokens of all of them."""
        self.price = price
        self._answers, self._tokens = seen

    def prompt_tokens(self, body: Mapping[str, Any]) -> int:
        """About so many tokens are sent."""
        return sum(_AROUND + len(str(m.get("content", ""))) // CHARACTERS_A_TOKEN for m in body["messages"])

    def answer_tokens(self, body: Mapping[str, Any]) -> int:
        """About so many tokens come back: the mean so far, and no more than the request allows."""
        mean = self._tokens / self._answers if self._answers else EXPECTED_ANSWER
        limit = _limit(body)
        return round(mean) if limit is None else limit if not self._answers else min(limit, round(mean))

    def is_blind(self, body: Mapping[str, Any]) -> bool:
        """Nothing says how long the answer will be: no answer was seen, and the request sets no limit."""
        return not self._answers and _limit(body) is None

    def estimate(self, body: Mapping[str, Any], *, batch: bool = False) -> float | None:
        """US dollars; None where the price is not known."""
        if self.price is None:
            return None
        return self.price.cost(self.prompt_tokens(body), self.answer_tokens(body), batch=batch)

    def of(self, answer: Answer, *, batch: bool = False) -> float | None:
        """What an answer has cost in US dollars; None where price or tokens are not known."""
        if answer.completion_tokens is not None:
            self._answers += 1
            self._tokens += answer.completion_tokens
        if self.price is None:
            return None
        if self.price.input == self.price.output == 0:
            return 0.0
        if answer.prompt_tokens is None or answer.completion_tokens is None:
            return None
        return self.price.cost(
            answer.prompt_tokens, answer.completion_tokens, answer.cached_tokens or 0, batch=batch
        )


def _limit(body: Mapping[str, Any]) -> int | None:
    # Some servers take -1 for no limit.
    return next((n for name in _TOKEN_LIMITS if isinstance(n := body.get(name), int) and n > 0), None)


def answers_seen(store: Store, model: str) -> tuple[int, int]:
    """How many answers of ``model`` the store has (the last 500 count), and the tokens of all of them."""
    answers, tokens = store.read(
        lambda connection: connection.execute(
            "SELECT count(*), coalesce(sum(completion_tokens), 0) FROM (SELECT completion_tokens FROM responses "
            "WHERE model = ? AND completion_tokens IS NOT NULL ORDER BY rowid DESC LIMIT 500)",
            (model,),
        ).fetchone()
    )
    return int(answers), int(tokens)
