"""neuter.toml: where models are served, and what is wrong with a file, by name."""

import re
from datetime import date
from pathlib import Path

import pytest

from neuter.errors import MissingExtra, ModelError, UnknownName, UsageError
from neuter.models import check, connect, facts, list_models, own_facts
from neuter.models.catalog import estimate_tokens, known
from neuter.models.provider_tables import _KINDS, FromEnvironment
from neuter.models.providers import clean_url, find_provider, load_providers, split_name


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_provider_is_read_with_all_its_keys(tmp_path):
    file = write(
        tmp_path / "mine.toml",
        '[providers.vllm]\nbase_url = "http://Localhost:8000/v1/"\napi_key_env = "VLLM_KEY"\n'
        "concurrency = 32\ntimeout = 30\nrequests_per_minute = 60\ntokens_per_minute = 5e5\n"
        'batch_url = "/v2/chat"\norganization = "o"\nproject = "p"\n'
        'headers = { X-Title = "t", X-Token = { env = "T" } }\nextra_body = { top_k = 1 }\n',
    )
    provider = load_providers(file)["vllm"]
    assert provider.base_url == "http://localhost:8000/v1"
    assert (provider.api_key_env, provider.concurrency, provider.timeout) == ("VLLM_KEY", 32, 30)
    assert (provider.requests_per_minute, provider.tokens_per_minute) == (60, 500_000)
    assert provider.batch_path == "/v2/chat"
    assert load_providers()["openai"].batch_path == "/v1/chat/completions"
    assert (provider.organization, provider.project) == ("o", "p")
    assert provider.headers == {"X-Title": "t", "X-Token": FromEnvironment("T")}
    assert provider.extra_body == {"top_k": 1}
    assert provider.kind == "openai"


def test_a_server_gets_at_most_64_calls_at_once_where_nothing_is_written(tmp_path):
    file = write(tmp_path / "x.toml", '[providers.x]\nbase_url = "http://a/v1"\n')
    assert load_providers(file)["x"].concurrency == load_providers()["openai"].concurrency == 64


def test_a_table_without_an_address_never_sends_its_key_to_openai(tmp_path):
    table = '[providers.x]\napi_key_env = "X_KEY"\n'
    write(tmp_path / "neuter.toml", table + 'base_url = "http://a/v1"\n')
    with pytest.raises(UsageError, match="base_url is missing"):
        load_providers(write(tmp_path / "x.toml", table))


def test_the_working_folder_goes_before_the_users_file_and_config_before_both(tmp_path):
    table = '[providers.{}]\nbase_url = "http://{}/v1"\n'
    write(
        tmp_path / "user" / "neuter.toml",
        table.format("a", "user") + table.format("b", "user") + table.format("c", "user"),
    )
    write(tmp_path / "neuter.toml", table.format("b", "folder") + table.format("c", "folder"))
    config = write(tmp_path / "x.toml", table.format("c", "config"))
    found = {name: p.base_url for name, p in load_providers(config).items() if name != "openai"}
    assert found == {"a": "http://user/v1", "b": "http://folder/v1", "c": "http://config/v1"}


def test_openai_is_built_in_and_may_be_changed(monkeypatch, tmp_path):
    assert load_providers()["openai"].api_key_env == "OPENAI_API_KEY"
    assert load_providers()["openai"].base_url is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://proxy.test/v1/")
    config = write(tmp_path / "x.toml", "[providers.openai]\nconcurrency = 3\n")
    changed = load_providers(config)["openai"]
    assert (changed.base_url, changed.api_key_env, changed.concurrency) == (
        "http://proxy.test/v1",
        "OPENAI_API_KEY",
        3,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[providers.x]\nbase_ulr = "http://a/v1"', r"x\.toml: \[providers\.x\]: unknown key 'base_ulr'. Did you mean base_url\?"),
        ("[provider.x]\n", "unknown key 'provider'. Did you mean providers"),
        ("[providers.x]\nconcurrency = 2", "base_url is missing"),
        ('[providers.x]\nbase_url = "localhost:8000"', "not an http address"),
        ('[providers.x]\nbase_url = "http://[::1"', "not an address"),
        ('[providers.x]\nbase_url = "http://me:secret@a/v1"', "user name or password"),
        ('[providers.x]\nbase_url = "http://a/v1?api_key=secret"', r"base_url may hold a key \(api_key=…\)"),
        ('[providers.x]\nbase_url = "http://a/v1?v=1&Token="', r"base_url may hold a key \(Token=…\)"),
        ('[providers.x]\nbase_url = "http://a/v1"\nconcurrency = 0', "not above 0"),
        ('[providers.x]\nbase_url = "http://a/v1"\nconcurrency = "4"', "is not a whole number"),
        ('[providers.x]\nbase_url = "http://a/v1"\ntimeout = inf', "not above 0"),
        ('[providers.x]\nbase_url = "http://a/v1"\ntimeout = true', "is not a number"),
        ('[providers.x]\napi_key = "sk-123"', "does not belong in a file"),
        ('[providers.x]\nbase_url = "http://a/v1"\napi_key_env = "sk-123"', "not the name of an environment variable"),
        ('[providers.x]\nbase_url = "http://a/v1"\napi_key_env = ["sk-123"]', "api_key_env = … is not text"),
        ('[providers.x]\nbase_url = "http://a/v1"\nproject = "two\\nlines"', "project = .* is not a line of plain characters"),
        ('[providers.x]\nbase_url = "http://a/v1"\ntokens_per_minute = -1', "not above 0"),
        ('[providers.x]\nbase_url = "http://a/v1"\nbatch_url = "a"', "batch_url = 'a' is no path"),
        ('[providers.x]\nbase_url = "http://a/v1"\nextra_body = { messages = [] }', "which each request sets itself"),
        ('[providers.local]\nbase_url = "http://a/v1"', "built into neuter"),
        ("providers = 3", "not a set of tables"),
        ("[providers.x", "cannot be read as TOML"),
        ("\udcff", "cannot be read as TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_file_is_named(tmp_path, text, message):
    file = tmp_path / "x.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=message) as caught:
        load_providers(file)
    assert "secret" not in str(caught.value)
    assert "sk-123" not in str(caught.value)


def test_a_configuration_that_does_not_exist_is_said(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such file"):
        load_providers(tmp_path / "nowhere.toml")


def test_a_provider_that_nobody_configured_shows_what_to_write():
    with pytest.raises(ModelError, match="no provider 'vllm' is configured") as caught:
        connect("vllm/m")
    assert "[providers.vllm]" in caught.value.todo
    assert "base_url = " in caught.value.todo
    assert "api_key_env = " in caught.value.todo
    with pytest.raises(ModelError, match="Did you mean openai"):
        find_provider("opnai/m")


def test_a_model_is_named_provider_slash_name():
    assert split_name("openrouter/meta/llama") == ("openrouter", "meta/llama")
    for name in ("gpt-4o", "openai/", "/gpt", ""):
        with pytest.raises(UsageError, match="PROVIDER/NAME"):
            split_name(name)


def test_an_address_has_one_form():
    assert clean_url("HTTPS://API.Example.test/V1/") == "https://api.example.test/V1"


def test_cutoffs_are_those_of_the_papers():
    assert facts("openai/gpt-4o-2024-08-06").cutoff == date(2023, 10, 1)
    cutoffs = {fact.name.rpartition("/")[2]: fact.cutoff for fact in known()}
    assert cutoffs["gpt-5.1"] == date(2024, 9, 1)
    assert cutoffs["claude-3.5-sonnet"] == date(2024, 4, 1)
    assert cutoffs["llama-4-maverick"] == date(2024, 8, 1)
    assert cutoffs["deepseek-v3.2-exp"] == date(2024, 12, 1)
    assert cutoffs["gpt-oss-20b"] == cutoffs["gpt-oss-120b"] == date(2024, 6, 1)
    assert all(fact.source and fact.checked for fact in known() if fact.cutoff)


def test_a_model_on_another_server_keeps_its_cutoff_and_an_unknown_one_has_none():
    assert facts("myserver/openai/gpt-oss-20b").cutoff == date(2024, 6, 1)
    assert facts("myserver/gpt-oss-20b").token_limit == "max_tokens"
    assert facts("openai/anything").token_limit == "max_completion_tokens"
    assert facts("myserver/unheard-of").cutoff is None
    assert facts("myserver/smollm2-135m").weights is None
    assert facts("local/smollm2-135m").context == 8192


def test_tokens_are_estimated_from_below():
    assert estimate_tokens("a b  c\n") == 3
    assert estimate_tokens(" " * 1000) == 0


def test_the_list_shows_every_model_with_its_state(tmp_path, monkeypatch):
    config = write(
        tmp_path / "x.toml", '[providers.vllm]\nbase_url = "http://a/v1"\napi_key_env = "VLLM_KEY"\n'
    )
    listed = {info.name: info for info in list_models(config)}
    assert "VLLM_KEY" in listed["vllm/*"].state
    assert not listed["vllm/*"].ready
    assert "OPENAI_API_KEY" in listed["openai/gpt-4o-2024-08-06"].state
    assert listed["openai/gpt-oss-20b"].state == "open weights"
    monkeypatch.setenv("VLLM_KEY", "k")
    assert {info.name: info for info in list_models(config)}["vllm/*"].ready


def test_the_embedded_model_says_what_it_lacks(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *a, **k: str(tmp_path))
    monkeypatch.setattr("neuter.models.local.is_installed", lambda: True)
    monkeypatch.setattr("neuter.models.listing.is_installed", lambda: True)
    assert "not pulled" in list_models()[0].state
    with pytest.raises(ModelError, match="neuter models pull local/smollm2-135m"):
        check("local/smollm2-135m")
    monkeypatch.setattr("neuter.models.local.is_installed", lambda: False)
    monkeypatch.setattr("neuter.models.listing.is_installed", lambda: False)
    assert "neuter[local]" in list_models()[0].state
    with pytest.raises(MissingExtra, match=r'python -m pip install "neuter\[local\]"'):
        check("local/smollm2-135m")
    with pytest.raises(UnknownName, match="known: local/smollm2-135m"):
        connect("local/smollm3")


def test_every_example_of_the_page_for_users_is_read(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "models.md"
    examples = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 3
    for example in examples:
        config = write(tmp_path / "x.toml", example)
        load_providers(config)
        known(config)
    shown = {name for example in examples for name in re.findall(r"^#? ?(\w+) = ", example, re.MULTILINE)}
    assert shown >= set(_KINDS) - {"deployments", "headers"}
    assert shown >= set(own_facts._KINDS) - {"open_weights", "note"}
