"""How many tokens a text has: tiktoken's count where it knows the model's vocabulary, else a stated estimate."""

from __future__ import annotations

import contextlib
import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

#: A rough rule for English text (OpenAI's tokenizer page); stated as an estimate wherever it is shown.
CHARACTERS_A_TOKEN = 4
ESTIMATED = "estimated at four characters a token"

#: Around each message, and before the answer (OpenAI Cookbook, "How to count tokens with tiktoken", GPT-3.5 to GPT-4o).
TOKENS_A_MESSAGE = 3
TOKENS_BEFORE_ANSWER = 3

#: How long the vocabulary may take to load, in seconds: tiktoken's own download has no deadline.
DEADLINE = 2.5

#: Texts are counted in pieces of so many characters: tiktoken overflows its stack at a million blanks in a row, and
#: its older versions take quadratic time at a word without end.
_PIECE = 20_000
#: Where a cut changes no count in OpenAI's vocabularies: before a blank between two words.
_BETWEEN_WORDS = re.compile(r"(?<=[^\W_]) (?=[^\W\d_])")
_LOOK_BACK = 300

#: The same vocabulary under a name of its own, with other special tokens; no text has those.
_SAME_VOCABULARY = {"o200k_harmony": "o200k_base"}


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of texts for one model.

    ``exact`` is True where the model's own vocabulary counts; ``how`` says in words what does.
    """

    how: str
    exact: bool
    of_piece: Callable[[str], int]

    def count(self, text: str) -> int:
        """The tokens of ``text``, in which nothing is special: also ``<|endoftext|>`` is a text."""
        return sum(map(self.of_piece, _pieces(text))) if self.exact else self.of_piece(text)

    def count_messages(self, messages: Iterable[tuple[str, str]]) -> int:
        """The prompt tokens of (role, content) pairs, with what the protocol puts around them.

        Source: OpenAI Cookbook, "How to count tokens with tiktoken". Newer models may add a few of their own.
        """
        each = (TOKENS_A_MESSAGE + self.count(role) + self.count(content) for role, content in messages)
        return TOKENS_BEFORE_ANSWER + sum(each)


def token_counter(model: str) -> TokenCounter:
    """A counter for ``PROVIDER/NAME``; the name's last part decides, whoever serves the model.

    tiktoken fetches a vocabulary at its first use (and keeps it in ``TIKTOKEN_CACHE_DIR``). Where that fails or takes
    longer than :data:`DEADLINE`, all counters of this process estimate, and ``how`` says so.

    >>> token_counter("local/smollm2-135m").how
    'estimated at four characters a token'
    """
    name = _vocabulary_of(model.rpartition("/")[2])
    if name is None:
        return _estimate(ESTIMATED)
    encoding = _VOCABULARIES.get(name)
    return (
        counter_of(encoding)
        if encoding
        else _estimate(f"{ESTIMATED} (the vocabulary {name} is out of reach)")
    )


def counter_of(encoding: Encoding) -> TokenCounter:
    """A counter with a vocabulary that is loaded already."""
    return TokenCounter(f"tiktoken {encoding.name}", True, lambda text: len(encoding.encode_ordinary(text)))


def _estimate(how: str) -> TokenCounter:
    return TokenCounter(how, False, lambda text: math.ceil(len(text) / CHARACTERS_A_TOKEN))


@cache
def _vocabulary_of(name: str) -> str | None:
    """The name of the vocabulary that tiktoken knows for a model."""
    from tiktoken.model import encoding_name_for_model

    try:
        vocabulary = encoding_name_for_model(name)
    except KeyError:
        return None
    return _SAME_VOCABULARY.get(vocabulary, vocabulary)


class _Vocabularies:
    """Vocabularies by name, each loaded once a process; after one failure no other is waited for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[str, Encoding] = {}
        self._out_of_reach = False

    def get(self, name: str) -> Encoding | None:
        with self._lock:
            if name not in self._loaded and not self._out_of_reach:
                encoding = _loaded(name)
                if encoding is None:
                    self._out_of_reach = True
                else:
                    self._loaded[name] = encoding
            return self._loaded.get(name)


_VOCABULARIES = _Vocabularies()


def _loaded(name: str) -> Encoding | None:
    """The vocabulary, or None where it does not come within :data:`DEADLINE`."""
    import tiktoken

    found: list[Encoding] = []

    def load() -> None:
        # No network, a proxy's page, a damaged file: whatever it is, we estimate.
        with contextlib.suppress(Exception):
            found.append(tiktoken.get_encoding(name))

    # A thread of its own, because a download without a deadline can only be left behind.
    thread = threading.Thread(target=load, name="neuter-vocabulary", daemon=True)
    thread.start()
    thread.join(DEADLINE)
    return found[0] if found else None


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        for blank in _BETWEEN_WORDS.finditer(text, end - _LOOK_BACK, end):
            end = blank.start()
        yield text[start:end]
        start = end
    yield text[start:]
