"""Text into the features of the linkage attacker: words and runs of words, without masks' placeholders."""

from __future__ import annotations

import re
from collections.abc import Set

_WORD = re.compile(r"\w\w+")
# Company_1, ticker_x, product_type_2, number_aaa: the paper's form for a masked entity (appendix B.6).
_PLACEHOLDER = re.compile(r"(?:[a-z]+_)+(?:\d+|[a-z]{1,3})")


def words_of(text: str, ngram_max: int = 1, stop_words: Set[str] = frozenset()) -> list[str]:
    """Words of two characters or more in lower case, then runs of 2 to ``ngram_max`` of them.

    Stop words and placeholders are left out first, so that the words around them become neighbours. A
    placeholder's number depends on its place in the document and says nothing about the firm.

    >>> words_of("Company_1 sold 27% of the phones", ngram_max=2, stop_words={"of", "the"})
    ['sold', '27', 'phones', 'sold 27', '27 phones']
    """
    words = [
        word for word in _WORD.findall(text.lower()) if word not in stop_words and not _is_placeholder(word)
    ]
    features = list(words)
    runs = words
    for length in range(2, ngram_max + 1):
        # A run of n words is the run of n-1 before it and the word that follows.
        runs = [f"{run} {word}" for run, word in zip(runs, words[length - 1 :], strict=False)]
        features += runs
    return features


def _is_placeholder(word: str) -> bool:
    return "_" in word and _PLACEHOLDER.fullmatch(word) is not None
