"""What surely does not fit a context is told before it is sent; what a server cut is told after."""

from dataclasses import dataclass

import pytest

from neuter.models.catalog import ModelFacts
from neuter.models.context import read_in_part, too_long


@dataclass
class Letters:
    """A vocabulary of single letters, and for which model it was asked for."""

    exact: bool = True
    asked_for: str = ""

    def __call__(self, model):
        self.asked_for = model
        return self

    def count(self, text):
        return len(text)


def ask(text):
    return [("system", "be brief"), ("user", text)]


FACTS = ModelFacts("x/m", context=100)


@pytest.mark.parametrize(("words", "fits"), [(97, True), (98, False), (5000, False)])
def test_without_a_vocabulary_every_word_is_at_least_a_token(words, fits):
    said = too_long(ask("word " * words), FACTS, Letters(exact=False))
    assert (said == "") is fits
    if not fits:
        assert f"at least {words + 2} tokens, and its context is 100" in said
        assert "--opening N" in said


def test_with_the_vocabulary_tokens_are_exact():
    assert "x/m: 100 tokens, and" in too_long(ask("x" * 92), FACTS, Letters())
    assert too_long(ask("x" * 91), FACTS, Letters()) == ""


def test_an_estimate_from_above_rejects_nothing():
    assert too_long(ask("x" * 5000), FACTS, Letters(exact=False)) == ""


def test_short_texts_and_unknown_contexts_cost_no_counting():
    counter = Letters()
    assert too_long(ask("x" * 10), FACTS, counter) == ""
    assert too_long(ask("x " * 10_000), ModelFacts("x/m"), counter) == ""
    assert "at least" in too_long(ask("x " * 10_000), FACTS, counter)
    assert counter.asked_for == ""


def test_characters_of_four_bytes_may_be_four_tokens():
    assert too_long([("user", "😀" * 25)], FACTS, Letters()) == ""
    counter = Letters()
    too_long([("user", "😀" * 25)], FACTS, counter)
    assert counter.asked_for == "x/m"


def test_a_server_that_read_fewer_tokens_than_there_are_words_cut_the_text():
    said = read_in_part(ask("word " * 5000), 4096)
    assert "read only 4096 tokens of a prompt of at least 5002" in said
    assert "OLLAMA_CONTEXT_LENGTH" in said
    for reported in (5002, 9000, None, 0):
        assert read_in_part(ask("word " * 5000), reported) == ""
