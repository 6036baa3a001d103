"""Parameters are fitted to what a model takes: renamed, left out, or refused before anything is sent."""

import pytest

from neuter.errors import UsageError
from neuter.models import facts
from neuter.models.abilities import fitted, left_out
from neuter.models.catalog import ModelFacts
from neuter.models.keys import request_body, request_key
from neuter.models.testing import loopback_server
from neuter.types import Request


def model(**known):
    return ModelFacts("x/m", **known)


def test_what_is_not_known_is_sent_as_it_is():
    asked = {
        "temperature": 0.3,
        "seed": 7,
        "logprobs": True,
        "top_logprobs": 50,
        "reasoning_effort": "extreme",
        "response_format": {"type": "json_schema"},
        "grammar": "root ::= x",
        "top_k": 3,
    }
    assert fitted(asked, model()) == asked
    assert left_out(asked, model()) == ()
    assert fitted({}, model()) == {}


@pytest.mark.parametrize(
    ("taken", "asked", "sent"),
    [
        (True, {"temperature": 0}, {"temperature": 0}),
        (False, {"temperature": 1}, {}),
        ("only 1", {"temperature": 0}, {}),
        ("only 1", {"temperature": 1}, {"temperature": 1}),
        ("only 1", {"temperature": 1.0}, {"temperature": 1.0}),
        ("without reasoning", {"temperature": 0}, {}),
        ("without reasoning", {"temperature": 0, "reasoning_effort": "none"}, {"temperature": 0, "reasoning_effort": "none"}),
        ("without reasoning", {"temperature": 0, "reasoning_effort": "low"}, {"reasoning_effort": "low"}),
    ],
)  # fmt: skip
def test_a_temperature_that_the_model_refuses_is_left_out_and_named(taken, asked, sent):
    assert fitted(asked, model(temperature=taken)) == sent
    dropped = ("temperature",) if "temperature" not in sent else ()
    assert left_out(asked, model(temperature=taken)) == dropped


def test_the_effort_that_holds_by_default_decides_where_none_is_asked_for():
    gpt = model(temperature="without reasoning", logprobs="without reasoning", default_effort="none")
    assert fitted({"temperature": 0, "logprobs": True}, gpt) == {"temperature": 0, "logprobs": True}
    assert left_out({"temperature": 0, "reasoning_effort": "high"}, gpt) == ("temperature",)


def test_a_seed_is_a_wish_and_left_out_where_it_is_refused():
    assert fitted({"seed": 1, "max_tokens": 5}, model(seed=False)) == {"max_tokens": 5}
    assert left_out({"seed": 1}, model(seed=False)) == ("seed",)
    assert left_out({"seed": 1}, model(seed=True)) == ()


@pytest.mark.parametrize(
    ("known", "asked", "said"),
    [
        ({"logprobs": False}, {"logprobs": True}, "gives no log probabilities"),
        ({"logprobs": False}, {"top_logprobs": 0}, "gives no log probabilities"),
        ({"logprobs": "without reasoning"}, {"logprobs": True, "reasoning_effort": "low"}, 'only with reasoning_effort "none"'),
        ({"logprobs": "without reasoning"}, {"logprobs": True}, 'only with reasoning_effort "none"'),
        ({"logprobs": True, "top_logprobs": 20}, {"logprobs": True, "top_logprobs": 21}, "at most 20 log probabilities a token, not 21"),
        ({"reasoning_effort": ("low", "high")}, {"reasoning_effort": "none"}, r"no reasoning_effort 'none' \(it has low, high\)"),
        ({"structured_output": ("json_object",)}, {"response_format": {"type": "json_schema"}}, r"json_schema \(known: json_object\)"),
        ({"structured_output": ()}, {"grammar": "root ::= x"}, r"grammar \(known: none\)"),
    ],
)  # fmt: skip
def test_what_the_answer_depends_on_is_refused_with_the_table_that_says_so(known, asked, said):
    with pytest.raises(UsageError, match=said) as caught:
        fitted(asked, model(**known))
    assert caught.value.where == "x/m"
    assert '[models."x/m"]' in caught.value.todo


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ({"logprobs": False}, {"logprobs": False}),
        ({"logprobs": True, "top_logprobs": 20}, {"logprobs": True, "top_logprobs": 20}),
        ({"reasoning_effort": ("low",)}, {"reasoning_effort": "low"}),
        ({"structured_output": ()}, {"response_format": {"type": "text"}}),
        ({"structured_output": ("grammar",)}, {"grammar": "root ::= x"}),
    ],
)
def test_what_the_model_takes_is_sent(known, asked):
    assert fitted(asked, model(**known)) == asked


def test_log_probabilities_of_a_reasoning_model_stop_before_anything_is_sent(connected):
    with loopback_server() as server, connected(server, model="lo/o3-mini") as asked:
        with pytest.raises(UsageError, match="gives no log probabilities"):
            list(asked.ask([Request("x", (("user", "q"),), {"logprobs": True})]))
        assert server.requests == 0


def test_defaults_lie_below_the_requests_own_and_are_part_of_body_and_key():
    known = model(extra_body={"top_k": 5, "temperature": 1, "provider": {"order": ["a"]}})
    body = request_body(Request("x", (), {"temperature": 0}), "m", known)
    assert body == {"model": "m", "messages": [], "top_k": 5, "temperature": 0, "provider": {"order": ["a"]}}
    plain = request_body(Request("x", (), {"temperature": 0}), "m", model())
    assert request_key(body, "http://a/v1") != request_key(plain, "http://a/v1")


def test_defaults_that_the_model_refuses_are_left_out_too():
    assert fitted({}, model(temperature="only 1", extra_body={"temperature": 0})) == {}
    with pytest.raises(UsageError, match="no log probabilities"):
        fitted({}, model(logprobs=False, extra_body={"logprobs": True}))


def test_a_system_message_goes_under_the_role_that_the_model_knows():
    request = Request("x", (("system", "s"), ("user", "u")))
    roles = [m["role"] for m in request_body(request, "m", model(system_role="developer"))["messages"]]
    assert roles == ["developer", "user"]
    assert request_body(request, "m", model())["messages"][0]["role"] == "system"


@pytest.mark.parametrize(
    ("name", "asked", "sent"),
    [
        ("openai/gpt-4o-2024-08-06", {"max_tokens": 9, "temperature": 0}, {"max_completion_tokens": 9, "temperature": 0}),
        ("openai/gpt-5.1", {"max_tokens": 9, "temperature": 0}, {"max_completion_tokens": 9, "temperature": 0}),
        ("openai/gpt-5-mini-2025-08-07", {"max_tokens": 9, "temperature": 0}, {"max_completion_tokens": 9}),
        ("myazure/o3", {"max_tokens": 9, "temperature": 0, "seed": 1}, {"max_completion_tokens": 9, "seed": 1}),
        ("myserver/llama", {"max_tokens": 9, "temperature": 0}, {"max_tokens": 9, "temperature": 0}),
        ("local/smollm2-135m", {"max_tokens": 9, "temperature": 0, "grammar": "g"}, {"max_tokens": 9, "temperature": 0, "grammar": "g"}),
    ],
)  # fmt: skip
def test_bodies_of_the_catalogs_models(name, asked, sent):
    """The first, second, fifth and last as before the catalog knew abilities: their stored responses are found again."""
    body = request_body(Request("x", (), asked), "m", facts(name))
    assert body == {"model": "m", "messages": [], **sent}
