"""The language-model attacker against a model that answers from a list."""

from collections import deque
from itertools import islice

import pytest

from neuter import plugins
from neuter.attacks import LLM
from neuter.errors import ModelError, UsageError
from neuter.prompts import load
from neuter.types import MaskedDocument, NeedsModel, Outcome, Response

LINE = "Company Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: Q3, Year Estimate: 2018"


class Answers:
    """Answers in order, reading up to ``ahead`` requests before the first answer."""

    model = "test/model"

    def __init__(self, answer, ahead=3):
        self.answer, self.ahead, self.requests = answer, ahead, []

    def ask(self, requests):
        source, queue = iter(requests), deque()
        while True:
            for request in islice(source, self.ahead - len(queue)):
                self.requests.append(request)
                queue.append(request)
            if not queue:
                return
            yield self.answer(queue.popleft())


def says(text, outcome=Outcome.ANSWERED, reason=""):
    return Answers(lambda request: Response(request.id, outcome, text, reason=reason))


def masked(id_, text="Company_1 grew.", **more):
    return MaskedDocument(id_, text, "rules", **more)


def attack(model, *documents, **parameters):
    return list(LLM(**parameters).connect(model).attack(documents))


def test_an_answered_line_becomes_a_guess_that_keeps_the_answer():
    (guess,) = attack(says(LINE), masked("a"))
    assert (guess.id, guess.scheme, guess.attacker, guess.model) == (
        "a",
        "rules",
        "llm",
        "test/model",
    )
    assert (guess.outcome, guess.firm, guess.industry, guess.quarter, guess.year) == (
        Outcome.ANSWERED,
        "AAPL",
        "Consumer Electronics",
        3,
        2018,
    )
    assert (guess.candidates, guess.scores, guess.answer) == (("AAPL",), (), LINE)


def test_the_paper_s_prompt_is_sent_as_one_user_message_with_the_text_in_its_slot():
    model = says(LINE)
    attack(model, masked("a", "We sold number_a of [Anonymized Opening Statement]."))
    (request,) = model.requests
    ((role, content),) = request.messages
    head, _, tail = load("identification").template.strip().partition("[Anonymized Opening Statement]")
    assert role == "user"
    assert content == f"{head}We sold number_a of [Anonymized Opening Statement].{tail}"
    assert content.startswith("You will receive a body of text which has been anonymized.")
    assert request.id == "a"


def test_the_system_layout_sends_the_prompt_as_system_message_and_the_text_alone():
    model = says(LINE)
    attack(model, masked("a", "We grew."), layout="system")
    (system, user) = model.requests[0].messages
    assert system[0] == "system"
    assert system[1].endswith("Quarter Estimate: Q, Year Estimate: Y")
    assert user == ("user", "We grew.")


def test_an_unknown_layout_is_a_usage_error():
    with pytest.raises(UsageError, match="unknown layout 'both'"):
        attack(says(LINE), masked("a"), layout="both")


def test_parameters_that_are_none_are_not_sent():
    model = says(LINE)
    attack(model, masked("a"))
    attack(model, masked("a"), max_tokens=200, temperature=None)
    assert [dict(request.parameters) for request in model.requests] == [
        {"temperature": 0.0},
        {"max_tokens": 200},
    ]


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome.REFUSED, "I cannot help with that."),
        (Outcome.FILTERED, None),
        (Outcome.FAILED, None),
        (Outcome.FAILED, LINE),
    ],
)
def test_what_was_not_answered_keeps_its_outcome_and_guesses_nothing(outcome, text):
    (guess,) = attack(says(text, outcome, "the server said so"), masked("a"))
    assert (guess.outcome, guess.answer, guess.reason) == (outcome, text, "the server said so")
    assert (guess.firm, guess.industry, guess.quarter, guess.year, guess.candidates) == (
        None,
        None,
        None,
        None,
        (),
    )


@pytest.mark.parametrize("text", ["Lovely weather today.", "", None])
def test_an_answer_without_the_line_is_unparsed(text):
    (guess,) = attack(says(text), masked("a"))
    assert (guess.outcome, guess.firm) == (Outcome.UNPARSED, None)


def test_a_truncated_answer_with_the_whole_line_counts_as_answered():
    (guess,) = attack(says(f"{LINE}. I chose this because the", Outcome.TRUNCATED), masked("a"))
    assert (guess.outcome, guess.firm, guess.year) == (Outcome.ANSWERED, "AAPL", 2018)
    assert guess.reason == "cut off after a complete answer"


@pytest.mark.parametrize("cut", [len("Company Estimate: AAPL, Industry"), len(LINE) - 2, len(LINE) - 4])
def test_a_line_that_was_cut_through_is_truncated_and_guesses_nothing(cut):
    (guess,) = attack(says(LINE[:cut], Outcome.TRUNCATED), masked("a"))
    assert (guess.outcome, guess.firm, guess.answer) == (Outcome.TRUNCATED, None, LINE[:cut])


@pytest.mark.parametrize("ahead", [1, 2, 10])
def test_guesses_keep_the_order_and_failed_documents_are_not_sent(ahead):
    model = Answers(lambda request: Response(request.id, Outcome.ANSWERED, LINE), ahead)
    documents = [
        masked("a", None, reason="too long"),
        masked("b"),
        masked("c", None),
        masked("d", None),
        masked("e"),
        masked("f"),
        masked("g", None),
    ]
    guesses = attack(model, *documents)
    assert [guess.id for guess in guesses] == list("abcdefg")
    assert [guess.id for guess in guesses if guess.outcome is Outcome.FAILED] == list("acdg")
    assert guesses[0].reason == "masking failed: too long"
    assert guesses[0].model == "test/model"
    assert [request.id for request in model.requests] == list("bef")


def test_only_failed_documents_make_no_call():
    model = says(LINE)
    assert [g.outcome for g in attack(model, masked("a", None))] == [Outcome.FAILED]
    assert model.requests == []


def test_documents_are_read_no_further_ahead_than_the_model_s_queue():
    read = []

    def stream():
        for n in range(100):
            read.append(n)
            yield masked(str(n))

    guesses = LLM().connect(says(LINE)).attack(stream())
    next(guesses)
    assert len(read) == 3


def test_answers_in_another_order_are_an_error_and_no_guess():
    model = Answers(lambda request: Response("b", Outcome.ANSWERED, LINE))
    with pytest.raises(ModelError, match="'b' came in the place of 'a'"):
        attack(model, masked("a"), masked("b"))


def test_more_answers_than_requests_are_an_error():
    class Chatty(Answers):
        def ask(self, requests):
            yield from super().ask(requests)
            yield Response("a", Outcome.ANSWERED, LINE)

    chatty = Chatty(lambda request: Response(request.id, Outcome.ANSWERED, LINE))
    with pytest.raises(ModelError, match="'a' came in the place of no request"):
        attack(chatty, masked("a"))


def test_an_answer_that_never_comes_is_a_failed_guess():
    class Silent:
        model = "test/silent"

        def ask(self, requests):
            list(requests)
            return iter(())

    (first, second) = attack(Silent(), masked("a"), masked("b", None))
    assert (first.id, first.outcome, first.reason) == ("a", Outcome.FAILED, "the model gave no answer")
    assert second.reason.startswith("masking failed")


def test_without_a_model_it_says_what_to_do():
    with pytest.raises(ModelError, match=r"'llm' has no model.*--model PROVIDER/NAME"):
        next(LLM().attack([masked("a")]))


def test_connecting_returns_a_copy_and_leaves_the_original_alone():
    attacker = plugins.create("attacker", "llm", layout="system", max_tokens=16)
    connected = attacker.connect(says(LINE))
    assert isinstance(attacker, NeedsModel)
    assert plugins.parameters(connected) == plugins.parameters(attacker)
    with pytest.raises(ModelError):
        next(attacker.attack([masked("a")]))


def test_fitting_reads_no_reference():
    def unread():
        raise AssertionError("the reference was read")
        yield

    assert isinstance(LLM().fit(unread()), LLM)


def test_only_a_model_inside_the_process_is_held_to_the_format_by_a_grammar():
    server, embedded = says(LINE), says(LINE)
    embedded.model = "local/smollm2-135m"
    attack(server, masked("a"))
    attack(embedded, masked("a"))
    assert "grammar" not in server.requests[0].parameters
    assert embedded.requests[0].parameters["grammar"].count("Company Estimate: ") == 1
