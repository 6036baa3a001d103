"""The catalog as data, and the user's own facts on top of it."""

import re
import tomllib
from datetime import date
from importlib.resources import files

import pytest

from neuter.errors import UsageError
from neuter.models import facts
from neuter.models.catalog import known
from neuter.models.own_facts import check_facts


def shipped():
    return tomllib.loads((files("neuter.models") / "catalog.toml").read_text(encoding="utf-8"))


def write(folder, text):
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_every_shipped_table_is_of_the_kind_that_a_user_may_write():
    raw = shipped()
    assert set(raw) == {"providers", "families", "models"}
    for kind, tables in raw.items():
        for name, table in tables.items():
            own = {key: table[key] for key in table.keys() - {"checked", "abilities_checked", "abilities_source", "weights", "match"}}  # fmt: skip
            check_facts(own, f"{kind}.{name}")


def test_shipped_abilities_have_their_source_and_day():
    for table in shipped()["families"].values():
        assert table["match"]
        assert table["abilities_source"]
        assert isinstance(table["abilities_checked"], date)
        assert "cutoff" not in table


def test_a_family_is_found_by_the_last_name_whoever_serves_it():
    for name in ("openai/gpt-5-nano", "openrouter/openai/gpt-5", "myazure/GPT-5-mini-2025-08-07"):
        assert (facts(name).context, facts(name).temperature, facts(name).logprobs) == (
            400_000,
            "only 1",
            False,
        )
        assert facts(name).reasoning_effort == ("minimal", "low", "medium", "high")
    assert facts("openai/o3-mini").reasoning
    for stranger in ("openai/gpt-5-chat-latest", "openai/gpt-50", "x/o3-small", "x/o30"):
        assert facts(stranger).context is None
        assert facts(stranger).temperature is None


def test_the_first_gpt_4o_takes_no_schema():
    assert facts("openai/gpt-4o-2024-05-13").structured_output == ("json_object",)
    assert facts("openai/gpt-4o-2024-08-06").structured_output == ("json_schema", "json_object")
    assert facts("openai/gpt-4o-2024-08-06").longest_answer == 16_384
    assert facts("openai/gpt-4o-2024-11-20").longest_answer is None


def test_gpt_5_1_takes_temperature_and_log_probabilities_without_reasoning_which_is_its_default():
    known = facts("openai/gpt-5.1")
    assert (known.temperature, known.logprobs, known.default_effort) == ("without reasoning",) * 2 + ("none",)


def test_the_users_own_facts_go_on_top_and_leave_the_rest(tmp_path):
    config = write(
        tmp_path,
        '[models."openai/gpt-4o-2024-08-06"]\ncontext = 1000\nlogprobs = false\nreasoning_effort = ["low"]\n'
        '[models."myserver/llama"]\ncutoff = "2023-12"\nsource = "its model card"\n',
    )
    ours = facts("openai/gpt-4o-2024-08-06", config)
    assert (ours.context, ours.logprobs, ours.reasoning_effort) == (1000, False, ("low",))
    assert (ours.cutoff, ours.seed) == (date(2023, 10, 1), True)
    llama = facts("myserver/llama", config)
    assert (llama.cutoff, llama.source, llama.checked) == (date(2023, 12, 1), "its model card", None)
    assert facts("openai/gpt-4o-2024-08-06").context == 128_000
    assert "myserver/llama" in {fact.name for fact in known(config)}


def test_a_cutoff_of_the_users_own_never_keeps_the_catalogs_source(tmp_path):
    config = write(tmp_path, '[models."openai/gpt-5.1"]\ncutoff = "2024-12"\n')
    ours = facts("openai/gpt-5.1", config)
    assert (ours.cutoff, ours.source, ours.checked) == (date(2024, 12, 1), str(config), None)


def test_a_later_file_replaces_the_same_table(tmp_path):
    (tmp_path / "neuter.toml").write_text('[models."x/m"]\ncontext = 5\nseed = true\n')
    config = write(tmp_path, '[models."x/m"]\ncontext = 7\n')
    assert (facts("x/m").context, facts("x/m").seed) == (5, True)
    assert (facts("x/m", config).context, facts("x/m", config).seed) == (7, None)


def test_defaults_of_the_model_lie_above_those_of_its_provider(tmp_path):
    config = write(
        tmp_path,
        '[providers.vllm]\nbase_url = "http://a/v1"\nextra_body = { top_k = 1, min_p = 0.1 }\n'
        '[models."vllm/m"]\nextra_body = { top_k = 2, chat_template_kwargs = { enable_thinking = false } }\n',
    )
    assert facts("vllm/m", config).extra_body == {
        "top_k": 2,
        "min_p": 0.1,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert facts("vllm/other", config).extra_body == {"top_k": 1, "min_p": 0.1}
    assert facts("elsewhere/m", config).extra_body == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("contxt = 5", "unknown key 'contxt'. Did you mean context?"),
        ("checked = 2026-11-30", "unknown key 'checked'"),
        ("context = 0", "context = 0 does not fit"),
        ("context = true", "context = True does not fit"),
        ("context = 1.5", "context = 1.5 does not fit"),
        ('cutoff = "2024-13"', "cutoff = '2024-13' does not fit"),
        ("cutoff = 2024-06-01", 'Write the month in which the training data ends: cutoff = "2024-06"'),
        ('cutoff = "2024-06\\n"', "does not fit"),
        ('temperature = "only one"', 'Write true, false, "only 1" or "without reasoning"'),
        ("temperature = 1", "temperature = 1 does not fit"),
        ('logprobs = "only 1"', "logprobs = 'only 1' does not fit"),
        ("top_logprobs = true", "top_logprobs = True does not fit"),
        ('token_limit = "max"', '"max_tokens" or "max_completion_tokens"'),
        ('structured_output = "json_schema"', "Write a list of json_schema, json_object, grammar, or []"),
        ('structured_output = ["xml"]', "does not fit"),
        ('reasoning_effort = ["low", 3]', "does not fit"),
        ('system_role = "user"', '"system" or "developer"'),
        ("extra_body = 3", "extra_body = 3 does not fit"),
        ('extra_body = { model = "other" }', "extra_body holds 'model', which each request sets itself"),
        ("extra_body = { max_tokens = 5 }", "extra_body holds 'max_tokens'"),
        ("extra_body = { day = 2024-06-01 }", "extra_body has no form in JSON"),
        ("extra_body = { min_p = nan }", "extra_body has no form in JSON"),
    ],
)
def test_what_is_wrong_in_a_table_is_named_with_file_and_table(tmp_path, line, message):
    config = write(tmp_path, f'[models."x/m"]\n{line}\n')
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        facts("x/m", config)
    assert caught.value.where == f'{config}: [models."x/m"]'


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[models."gpt-4o"]', "has no provider"),
        ("[models.openai.gpt-4o]", "model 'openai' has no provider"),
        ('[models."simulated/well-read"]', "a simulated model's facts are its settings"),
        ("models = 3", "not a set of tables"),
    ],
)
def test_a_table_must_name_a_model(tmp_path, table, message):
    with pytest.raises(UsageError, match=message):
        facts("x/m", write(tmp_path, f"{table}\n"))
