"""What a plan would ask: requests and tokens, worked by hand with a vocabulary of one token a word."""

import pytest

from neuter import prompts
from neuter.attacks.baselines import Prior
from neuter.attacks.llm import LLM
from neuter.corpus import read_corpus
from neuter.masking.entity_neutering import EntityNeutering
from neuter.masking.none import Unmasked
from neuter.models.tokens import TokenCounter
from neuter.suites import estimating
from neuter.suites.estimating import ANSWER_TOKENS, COUNTED, requests_of
from neuter.suites.plan import Plan
from neuter.types import Document

WORDS = TokenCounter("one a word", True, lambda text: len(text.split()))
#: Around a message, its role, and before the answer.
AROUND = 3 + 1 + 3


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    monkeypatch.setattr(estimating, "token_counter", lambda model: WORDS)


def words_of(prompt):
    return len(prompts.load(prompt).fill("").split())


def documents(lengths, kind="transcript"):
    # Words of three letters and a blank: four characters a token.
    return [
        Document(id=f"{kind}{k}", text="abc " * n, kind=kind, fiscal_year=2021) for k, n in enumerate(lengths)
    ]


def plan(given, **parts):
    defaults = {"schemes": (Unmasked(),), "attackers": (LLM(),), "models": ("x/y",)}
    return Plan(corpus=read_corpus(given), **{**defaults, **parts})


def only(rows):
    (row,) = rows
    return {key: value for key, value in row.items() if key != "sizes"}


def test_an_attack_sends_each_masked_text_under_its_prompt():
    (row,) = requests_of(plan(documents([10, 20]), schemes=(Unmasked(), Unmasked())))
    fixed = AROUND + words_of("identification")
    assert {key: value for key, value in row.items() if key != "sizes"} == {
        "what": "attacker llm",
        "model": "x/y",
        "requests": 4,
        "prompt_tokens": 2 * (10 + 20 + 2 * fixed),
        "completion_tokens": 4 * ANSWER_TOKENS,
        "tokens_are": "one a word",
    }
    assert row["sizes"] == ((fixed + 10, ANSWER_TOKENS), (fixed + 20, ANSWER_TOKENS))


def test_a_masking_model_answers_with_a_text_as_long():
    row = requests_of(plan(documents([10, 20]), schemes=(EntityNeutering(),), attackers=(), masker="m/m"))[0]
    fixed = AROUND + words_of("anonymization")
    assert (row["what"], row["model"], row["requests"]) == ("scheme entity-neutering", "m/m", 2)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (2 * fixed + 30, 30)


def test_a_limit_of_tokens_limits_the_answer():
    short = requests_of(plan(documents([10]), attackers=(LLM(max_tokens=7), Prior(max_tokens=5))))
    assert [row["completion_tokens"] for row in short] == [7, 5]
    masked = plan(documents([10, 3]), schemes=(EntityNeutering(max_tokens=8),), attackers=(), masker="m/m")
    assert requests_of(masked)[0]["completion_tokens"] == 8 + 3


def test_a_system_message_is_a_message_more():
    row = only(requests_of(plan(documents([10]), attackers=(LLM(layout="system"),))))
    assert row["prompt_tokens"] == AROUND + words_of("identification") + 10 + (3 + 1)


def test_the_prior_asks_once_for_each_kind_of_text():
    calls, headlines = documents([10, 20]), documents([5], kind="headline")
    row = only(requests_of(plan([*calls, *headlines], attackers=(Prior(),))))
    assert (row["requests"], row["completion_tokens"]) == (2, 2 * ANSWER_TOKENS)
    both = words_of("identification") + words_of("identification_headline")
    assert row["prompt_tokens"] == 2 * AROUND + both


def test_headlines_are_asked_about_with_their_own_prompt():
    row = only(requests_of(plan(documents([5], kind="headline"))))
    assert row["prompt_tokens"] == AROUND + words_of("identification_headline") + 5


def test_a_sample_of_documents_takes_its_share_and_never_more_than_all():
    rows = [requests_of(plan(documents([10, 20, 30, 40]), model_sample=n))[0] for n in (2, 9, 0)]
    assert [row["requests"] for row in rows] == [2, 4, 4]
    fixed = AROUND + words_of("identification")
    assert rows[0]["prompt_tokens"] == 2 * fixed + 50
    assert rows[1]["prompt_tokens"] == rows[2]["prompt_tokens"] == 4 * fixed + 100


def test_a_scheme_without_a_model_named_is_told_all_the_same():
    row = only(requests_of(plan(documents([10]), schemes=(EntityNeutering(),), attackers=(), models=())))
    assert (row["model"], row["requests"], row["completion_tokens"]) == (None, 1, 10)


def test_what_needs_no_model_asks_nothing():
    assert requests_of(plan(documents([10]), models=())) == []


def test_of_many_texts_an_even_sample_is_counted_whatever_the_corpus_repeats(monkeypatch):
    counted = []
    counter = TokenCounter("one a word", True, lambda text: counted.append(text) or len(text.split()))
    monkeypatch.setattr(estimating, "token_counter", lambda model: counter)
    # Every other text is of one word without end: a sample of every second text would see one kind alone.
    given = [
        Document(id=f"d{k}", text="abc " * 50 if k % 2 else "abcdefg " * 25, fiscal_year=2021)
        for k in range(8000)
    ]
    row = requests_of(plan(given))[0]
    texts = 8000 * (AROUND + words_of("identification")) + 4000 * 50 + 4000 * 25
    assert row["prompt_tokens"] == pytest.approx(texts, rel=0.02)
    assert COUNTED < len(counted) < 5 * COUNTED
    how, _, size = row["tokens_are"].partition(", on ")
    sample = int(size.split()[0].replace(",", ""))
    assert how == "one a word"
    assert size.endswith("of 8,000 texts")
    assert COUNTED / 2 <= sample <= 2 * COUNTED


def test_models_counted_alike_are_counted_once(monkeypatch):
    counted = []
    counter = TokenCounter("one a word", True, lambda text: counted.append(text) or len(text.split()))
    monkeypatch.setattr(estimating, "token_counter", lambda model: counter)
    rows = requests_of(plan(documents([10]), models=("x/y", "x/z")))
    assert [row["model"] for row in rows] == ["x/y", "x/z"]
    assert counted.count("abc " * 10) == 1


def test_texts_without_a_character_are_no_fault():
    sample = estimating._Sample(WORDS)
    sample.see(Document(id="a", text=""))
    assert sample.tokens_a_character == 0.0
