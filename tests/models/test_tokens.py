"""Counting tokens: with a vocabulary where there is one, else by a stated rule; never a hang, never an error."""

import time

import pytest
import tiktoken

from neuter.models import tokens
from neuter.models.tokens import TokenCounter, counter_of, token_counter

#: Letters, and three merges: the words are split as OpenAI's vocabularies split them, a blank before its word.
PATTERN = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+(?!\S)|\s+"
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257, b" the": 258}


def small(name="o200k_base") -> tiktoken.Encoding:
    return tiktoken.Encoding(
        name, pat_str=PATTERN, mergeable_ranks=RANKS, special_tokens={"<|endoftext|>": 300}
    )


@pytest.fixture
def vocabularies(monkeypatch):
    """No vocabulary is fetched: ``get_encoding`` is what the test says, and nothing is remembered."""

    def put(get_encoding):
        monkeypatch.setattr(tokens, "_VOCABULARIES", tokens._Vocabularies())
        monkeypatch.setattr(tiktoken, "get_encoding", get_encoding)

    return put


def test_the_vocabulary_counts():
    counter = counter_of(small())
    # "the", " the" and " t", "e", "n" as bytes: 1 + 1 + 4.
    assert counter.count("the the ten") == 6
    assert counter.count("") == 0
    assert (counter.exact, counter.how) == (True, "tiktoken o200k_base")


def test_messages_have_three_tokens_around_each_and_three_before_the_answer():
    counter = TokenCounter("letters", True, len)
    assert counter.count_messages([("user", "abcde")]) == 3 + (3 + 4 + 5)
    assert counter.count_messages([("system", "a"), ("user", "bc")]) == 3 + (3 + 6 + 1) + (3 + 4 + 2)
    assert counter.count_messages([]) == 3


def test_nothing_in_a_text_is_special():
    assert counter_of(small()).count("<|endoftext|>") == 13
    assert counter_of(small()).count("\ud800") > 0


@pytest.mark.parametrize("character", [" ", "a", "\n", "=", "1", "é"])
def test_a_text_without_end_is_counted_and_soon(character):
    text = character * 1_000_000
    counted = counter_of(small()).count(text)
    assert counted == len(text.encode())


def test_pieces_are_the_text_and_none_is_too_long():
    text = "the words, 12.5% of them; go on. " * 10_000
    pieces = list(tokens._pieces(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= 20_000
    assert all(piece.startswith(" ") and piece[1].isalpha() for piece in pieces[1:])
    assert list(tokens._pieces("")) == [""]


def test_cutting_a_long_text_changes_no_count():
    encoding = small()
    text = "then the other thing: 1,234 of the 56.7% there was, the end.\n" * 2000
    assert len(list(tokens._pieces(text))) > 5
    assert counter_of(encoding).count(text) == len(encoding.encode_ordinary(text))


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("openai/gpt-4o-2024-08-06", "o200k_base"),
        ("openai/gpt-4-0613", "cl100k_base"),
        ("openai/o3", "o200k_base"),
        ("myserver/gpt-oss-20b", "o200k_base"),
        ("openrouter/openai/gpt-5.1", "o200k_base"),
    ],
)
def test_the_models_own_vocabulary_is_taken_whoever_serves_it(vocabularies, model, vocabulary):
    vocabularies(small)
    assert token_counter(model).how == f"tiktoken {vocabulary}"


@pytest.mark.parametrize(
    "model", ["anthropic/claude-opus-5", "my/llama-3.3-70b", "local/smollm2-135m", "x", ""]
)
def test_an_unknown_vocabulary_is_estimated_and_says_so(vocabularies, model):
    vocabularies(small)
    counter = token_counter(model)
    assert (counter.exact, counter.how) == (False, "estimated at four characters a token")
    assert [counter.count("x" * length) for length in (0, 1, 4, 5, 40_001)] == [0, 1, 1, 2, 10_001]
    assert counter.count_messages([("user", "x" * 40)]) == 3 + 3 + 1 + 10


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_vocabulary_out_of_reach_is_estimated_and_asked_for_once(vocabularies):
    asked = []

    def fails(name):
        asked.append(name)
        raise OSError("no network")

    vocabularies(fails)
    hows = [token_counter(model).how for model in ("openai/gpt-4o", "openai/gpt-4o", "openai/gpt-4")]
    assert hows[0] == "estimated at four characters a token (the vocabulary o200k_base is out of reach)"
    assert not token_counter("openai/gpt-4o").exact
    assert "cl100k_base" in hows[2]
    assert asked == ["o200k_base"]


def test_a_vocabulary_that_hangs_is_left_behind(vocabularies, monkeypatch):
    monkeypatch.setattr(tokens, "DEADLINE", 0.05)
    vocabularies(lambda name: time.sleep(2) or small(name))
    assert "out of reach" in token_counter("openai/gpt-4o").how


def test_a_vocabulary_is_loaded_once(vocabularies):
    asked = []
    vocabularies(lambda name: asked.append(name) or small(name))
    for _ in range(3):
        assert token_counter("openai/gpt-4o").exact
    assert asked == ["o200k_base"]
