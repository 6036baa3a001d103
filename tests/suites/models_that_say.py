"""A model for the tests of suites: what it says is a function of the text, and it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from neuter.types import Ask, Outcome, Request, Response


class Says:
    """Answers each request with ``answer(prompt)``."""

    def __init__(self, answer: Callable[[str], str], model: str = "fake/one") -> None:
        self.model, self.answer, self.asked = model, answer, []

    def ask(self, requests: Iterable[Request]) -> Iterator[Response]:
        for request in requests:
            self.asked.append(request)
            yield Response(request.id, Outcome.ANSWERED, self.answer(request.messages[-1][1]))

    @contextmanager
    def connect(self, name: str) -> Iterator[Ask]:
        yield self


def call(firm: str, quarter: int, year: int) -> str:
    return f"Company Estimate: {firm}, Industry Estimate: Retail, Quarter Estimate: {quarter}, Year Estimate: {year}"
