"""What a plan would ask of models, in requests and tokens, before anything is spent."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neuter import prompts
from neuter.models.tokens import TokenCounter, token_counter
from neuter.suites.plan import Plan, needs_model
from neuter.types import Document

#: Tokens of an answer to an identification prompt, an assumption: its line has 22 to 32 in o200k_base and cl100k_base
#: ("Company Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3, Year Estimate: 2018" has
#: 24), and some models write a little around it. What a reasoning model thinks is not in it.
ANSWER_TOKENS = 40

#: Tokens of a masked text for one of the original, an assumption: on corpora:sample the schemes rules and presidio
#: have 0.96 to 1.05 in o200k_base (placeholders have about as many tokens as what they stand for).
MASKED_LENGTH = 1.0

#: Texts whose tokens are counted, at the least, where there are so many; the others' follow from their length.
#: On corpora:sample the tokens a character of a text have a standard deviation of 4%: the mean of 512 has 0.2%.
COUNTED = 512

#: Prompt and answer tokens of one request.
Size = tuple[float, int]


def requests_of(plan: Plan, label: str = "") -> list[dict[str, Any]]:
    """Requests and tokens for each scheme and attacker that asks a model; answers in the store come off that.

    Returns:
        dicts with what (``label`` before it), model, requests, prompt_tokens and completion_tokens (of all requests
        together), tokens_are (in words), and sizes: (prompt, answer) tokens of a request about each document, from
        which a price that depends on the prompt's length follows. ``requests`` may be more (several schemes) or
        fewer (a sample) than ``sizes``.
    """
    texts = _read(plan)
    rows = [
        _row(f"{label}scheme {scheme.name}", plan.masker, texts.count, _masking(texts, plan.masker, scheme))
        for scheme in plan.schemes
        if needs_model(scheme)
    ]
    for attacker in plan.attackers:
        for model in plan.models if needs_model(attacker) else ():
            what = f"{label}attacker {attacker.name}"
            if attacker.name == "prior":
                asking = sorted(set(texts.prompts))
                rows.append(_row(what, model, len(asking), _prior(texts, model, attacker, asking)))
                continue
            requests = texts.asked(plan.sample_of(model)) * len(plan.schemes)
            rows.append(_row(what, model, requests, _attack(texts, model, attacker)))
    return rows


@dataclass
class _Sample:
    """Tokens a character, from texts that pass by: an even sample of at least :data:`COUNTED`, or all of fewer.

    Which texts are in it depends on their ids, not on their order, so that a corpus that repeats itself does no harm.
    """

    counter: TokenCounter
    passed: int = 0
    every: int = 1
    counted: list[tuple[int, int, int]] = field(default_factory=list)

    def see(self, document: Document) -> None:
        self.passed += 1
        drawn = zlib.crc32(document.id.encode("utf-8", "replace"))
        if drawn % self.every:
            return
        self.counted.append((drawn, len(document.text), self.counter.count(document.text)))
        if len(self.counted) > 2 * COUNTED:
            self.every *= 2
            self.counted = [text for text in self.counted if text[0] % self.every == 0]

    @property
    def tokens_a_character(self) -> float:
        characters = sum(length for _, length, _ in self.counted)
        return sum(tokens for _, _, tokens in self.counted) / characters if characters else 0.0

    @property
    def how(self) -> str:
        """The counter's words, with the sample's size where not every text was counted."""
        if not self.counter.exact or len(self.counted) == self.passed:
            return self.counter.how
        return f"{self.counter.how}, on {len(self.counted):,} of {self.passed:,} texts"


@dataclass(frozen=True)
class _Texts:
    """The corpus as a bill sees it: each text's length in characters and prompt, and tokens a character by model."""

    lengths: Sequence[int]
    prompts: Sequence[str]
    samples: Mapping[str | None, _Sample]

    @property
    def count(self) -> int:
        return len(self.lengths)

    def asked(self, sample: int | None) -> int:
        """How many documents are asked about where a model is asked about ``sample`` of them (None: all)."""
        return self.count if sample is None else min(sample, self.count)

    def tokens(self, model: str | None) -> Iterable[float]:
        """The tokens of each text."""
        rate = self.samples[model].tokens_a_character
        return (length * rate for length in self.lengths)


def _read(plan: Plan) -> _Texts:
    from neuter.attacks.answered import prompt_of

    # A scheme may need a model that nobody has named yet (None): its requests are told all the same.
    counters = {model: token_counter(model or "") for model in (*plan.models, plan.masker)}
    by_counting: dict[str, _Sample] = {}
    samples = {
        model: by_counting.setdefault(counter.how, _Sample(counter)) for model, counter in counters.items()
    }
    lengths, asked = [], []
    for document in plan.corpus.documents():
        lengths.append(len(document.text))
        asked.append(prompt_of(document.kind))
        for sample in by_counting.values():
            sample.see(document)
    return _Texts(lengths, asked, samples)


@dataclass(frozen=True)
class _Asked:
    sizes: tuple[Size, ...]
    how: str


def _masking(texts: _Texts, model: str | None, scheme: object) -> _Asked:
    """A request for each text under the anonymization prompt; the answer is the masked text."""
    sample, limit = texts.samples[model], getattr(scheme, "max_tokens", None)
    around = _around(sample.counter, "anonymization", scheme)
    sizes = tuple(
        (around + tokens, _limited(round(tokens * MASKED_LENGTH), limit)) for tokens in texts.tokens(model)
    )
    return _Asked(sizes, sample.how)


def _attack(texts: _Texts, model: str, attacker: object) -> _Asked:
    """A request for each masked text under its identification prompt."""
    sample, answer = texts.samples[model], _limited(ANSWER_TOKENS, getattr(attacker, "max_tokens", None))
    around = {name: _around(sample.counter, name, attacker) for name in set(texts.prompts)}
    asked = zip(texts.prompts, texts.tokens(model), strict=True)
    sizes = tuple((around[prompt] + tokens * MASKED_LENGTH, answer) for prompt, tokens in asked)
    return _Asked(sizes, sample.how)


def _prior(texts: _Texts, model: str, attacker: object, asking: Sequence[str]) -> _Asked:
    """A request for each prompt, without a text."""
    counter = texts.samples[model].counter
    answer = _limited(ANSWER_TOKENS, getattr(attacker, "max_tokens", None))
    return _Asked(tuple((_around(counter, prompt, attacker), answer) for prompt in asking), counter.how)


def _around(counter: TokenCounter, prompt: str, asking: object) -> int:
    """The tokens of a request without its text."""
    instruction = prompts.load(prompt).fill("")
    if getattr(asking, "layout", "single") == "system":
        return counter.count_messages((("system", instruction), ("user", "")))
    return counter.count_messages((("user", instruction),))


def _limited(tokens: int, limit: object) -> int:
    return min(tokens, limit) if isinstance(limit, int) else tokens


def _row(what: str, model: str | None, requests: int, asked: _Asked) -> dict[str, Any]:
    share = requests / len(asked.sizes) if asked.sizes else 0.0
    return request_row(what, model, asked.sizes, asked.how, requests=requests, share=share)


def request_row(
    what: str, model: str | None, sizes: Sequence[Size], tokens_are: str, *, requests: int, share: float = 1.0
) -> dict[str, Any]:
    """A row as of :func:`requests_of`; ``share`` of the sizes' tokens are asked for and answered."""
    return {
        "what": what,
        "model": model,
        "requests": requests,
        "prompt_tokens": round(share * sum(prompt for prompt, _ in sizes)),
        "completion_tokens": round(share * sum(answer for _, answer in sizes)),
        "tokens_are": tokens_are,
        "sizes": sizes,
    }
