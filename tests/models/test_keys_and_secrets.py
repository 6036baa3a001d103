"""The store's key, and the provider's key, which must appear nowhere."""

import logging

import pytest
from asking import questions

from neuter.errors import ModelError
from neuter.models import facts
from neuter.models.keys import canonical, request_body, request_key
from neuter.models.testing import loopback_server
from neuter.types import Outcome, Request

SECRET = "sk-very-secret-0123456789"
KEYED = 'api_key_env = "TEST_NEUTER_KEY"'


def test_the_body_holds_what_is_set_and_nothing_else():
    request = Request("x", (("system", "s"), ("user", "u")), {"temperature": 0, "max_tokens": 9})
    assert request_body(request, "m", facts("lo/m")) == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "temperature": 0,
        "max_tokens": 9,
    }
    assert "temperature" not in request_body(Request("x", ()), "m", facts("lo/m"))


def test_the_token_limit_goes_by_the_name_that_the_server_takes():
    request = Request("x", (), {"max_tokens": 9})
    body = request_body(request, "gpt-4o-2024-08-06", facts("openai/gpt-4o-2024-08-06"))
    assert body["max_completion_tokens"] == 9
    assert "max_tokens" not in body


def test_a_key_depends_on_body_server_and_sample_alone():
    body = {"model": "m", "messages": [{"role": "user", "content": "é"}], "seed": 1}
    turned = {"seed": 1, "messages": [{"content": "é", "role": "user"}], "model": "m"}
    key = request_key(body, "http://a/v1")
    assert request_key(turned, "http://a/v1") == key
    assert (
        len(
            {
                key,
                request_key(body, "http://b/v1"),
                request_key(body, "http://a/v1", 1),
                request_key({**body, "seed": 2}, "http://a/v1"),
            }
        )
        == 4
    )
    assert len(key) == 32
    assert canonical({"b": [1.5, None], "a": "é"}) == '{"a":"é","b":[1.5,null]}'


def test_keys_never_change_between_versions():
    """A stored response must be found again by later versions: worked by hand with sha256sum."""
    import hashlib

    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    text = '[1,{"messages":[{"content":"hi","role":"user"}],"model":"m"},"http://a/v1",0]'
    assert request_key(body, "http://a/v1") == hashlib.sha256(text.encode()).digest()


def test_a_right_key_is_sent(connected, monkeypatch):
    monkeypatch.setenv("TEST_NEUTER_KEY", f" {SECRET}\n")
    with loopback_server(key=SECRET) as server, connected(server, extra=KEYED) as model:
        model.check()
        assert [r.outcome for r in model.ask(questions(2))] == [Outcome.ANSWERED] * 2


def test_a_wrong_key_is_said_without_the_key(connected, monkeypatch, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TEST_NEUTER_KEY", SECRET)
    extra = f"{KEYED}\nconcurrency = 8"
    with loopback_server(key="another") as server, connected(server, extra=extra) as model:
        for attempt in (model.check, lambda: list(model.ask(questions(20)))):
            with pytest.raises(ModelError, match=r"refused the key \(401\).*TEST_NEUTER_KEY") as caught:
                attempt()
            assert SECRET not in str(caught.value)
        assert SECRET not in repr(model)
        assert server.requests <= 8
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.name == "store.sqlite" for file in written)
    assert all(SECRET.encode() not in file.read_bytes() for file in written)
    assert SECRET not in caplog.text


def test_a_server_that_sends_the_key_back_does_not_spread_it(connected, monkeypatch, tmp_path):
    monkeypatch.setenv("TEST_NEUTER_KEY", SECRET)
    with loopback_server(answer=f"your key is {SECRET}") as server, connected(server, extra=KEYED) as model:
        (response,) = model.ask(questions(1))
    assert response.text == "your key is [key]"
    assert all(SECRET.encode() not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_missing_key_names_its_variable_before_anything_is_sent(connected, monkeypatch):
    monkeypatch.delenv("TEST_NEUTER_KEY", raising=False)
    with loopback_server() as server, connected(server, extra=KEYED) as model:
        with pytest.raises(ModelError, match="TEST_NEUTER_KEY holds no key"):
            model.check(online=False)
        with pytest.raises(ModelError, match="TEST_NEUTER_KEY holds no key"):
            list(model.ask(questions(3)))
        assert server.requests == 0


def test_a_key_with_line_breaks_is_refused_unseen(connected, monkeypatch):
    monkeypatch.setenv("TEST_NEUTER_KEY", "sk-one\nsk-two")
    with loopback_server() as server, connected(server, extra=KEYED) as model:
        with pytest.raises(ModelError, match="characters that no key has") as caught:
            model.check()
        assert "sk-one" not in str(caught.value)


def test_a_server_that_wants_a_key_where_none_is_configured_is_said(connected):
    with (
        loopback_server(key="x") as server,
        connected(server) as model,
        pytest.raises(ModelError, match=r"asks for a key \(401\).*api_key_env in \[providers\.lo\]"),
    ):
        model.check()
