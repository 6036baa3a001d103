"""Whether a text fits a model's context: what surely does not is told before it is sent, and never cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from neuter.models.catalog import ModelFacts, estimate_tokens
from neuter.models.tokens import token_counter

Messages = Iterable[tuple[str, str]]


class Counter(Protocol):
    """Counts the tokens of a text; ``exact`` where the model's own vocabulary is known."""

    @property
    def exact(self) -> bool: ...

    def count(self, text: str) -> int: ...


def too_long(
    messages: Messages, facts: ModelFacts, counter_for: Callable[[str], Counter] = token_counter
) -> str:
    """Why (role, content) ``messages`` surely do not fit the context; empty where they may.

    They are counted exactly where the model's vocabulary is known, else from below, at one token a word. The
    tokens that a server puts around messages are not counted: one that is only just too long it tells itself.
    ``counter_for`` is asked only where it decides, since a vocabulary may have to be fetched.
    """
    context, texts = facts.context, [content for _, content in messages]
    if context is None or _surely_fit(texts, context):
        return ""
    tokens = sum(estimate_tokens(text) for text in texts)
    about = "at least "
    if tokens < context:
        counter = counter_for(facts.name)
        if not counter.exact:
            return ""
        tokens, about = sum(counter.count(text) for text in texts), ""
    if tokens < context:
        return ""
    return (
        f"the text is too long for {facts.name}: {about}{tokens} tokens, and its context is {context}; "
        "it is never cut: shorten the text (--opening N), or choose a model with a longer context"
    )


def read_in_part(messages: Messages, prompt_tokens: int | None) -> str:
    """Why a server cannot have read the whole of ``messages``; empty where it may have.

    Ollama cuts what passes its context and answers as if nothing were: it then reports fewer tokens than the
    messages have words (ollama/ollama issues 4967 and 17889). A report of 0 counts as none.
    """
    words = sum(estimate_tokens(content) for _, content in messages)
    if not prompt_tokens or prompt_tokens >= words:
        return ""
    return (
        f"the server read only {prompt_tokens} tokens of a prompt of at least {words}: it cut the text; let it have "
        "a longer context (Ollama: OLLAMA_CONTEXT_LENGTH), or shorten the text (--opening N)"
    )


def _surely_fit(texts: list[str], context: int) -> bool:
    """No tokenizer makes more tokens than there are bytes, and counting bytes is quick."""
    return sum(len(text) for text in texts) * 4 < context
