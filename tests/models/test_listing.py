"""What ``neuter models list`` and ``check`` show, and that it fits a terminal of 80 columns."""

import json
from datetime import date

import pytest
from typer.testing import CliRunner

from neuter.cli.models import app
from neuter.models import list_models
from neuter.models.catalog import ModelFacts
from neuter.models.listing import abilities
from neuter.models.testing import loopback_server


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(
        '[providers.vllm]\nbase_url = "http://127.0.0.1:8000/v1"\n'
        '[models."vllm/llama-3.3-70b"]\ncutoff = "2023-12"\ncontext = 32768\n'
        '[prices."vllm/llama-3.3-70b"]\ninput = 0.5\noutput = 1.25\nas_of = 2026-11-01\n'
    )
    return file


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_a_model_of_the_users_own_is_listed_with_cutoff_context_and_price(config):
    (mine,) = (one for one in list_models(config) if one.name == "vllm/llama-3.3-70b")
    assert (mine.cutoff, mine.source, mine.context) == (date(2023, 12, 1), str(config), 32_768)
    assert (mine.input_price, mine.output_price, mine.price_as_of) == (0.5, 1.25, date(2026, 11, 1))
    assert mine.ready


def test_the_table_fits_80_columns_and_cuts_no_name(config, monkeypatch):
    from rich.console import Console

    monkeypatch.setattr("neuter.cli.console.out", lambda: Console(width=80))
    lines = run("list", "--config", config).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    table = "\n".join(lines)
    for one in list_models(config):
        assert one.name in table
    assert "…" not in table
    (line,) = (line for line in lines if line.strip().startswith("vllm/llama"))
    assert line.split() == ["vllm/llama-3.3-70b", "2023-12", "33k", "0.50/1.25", "configured"]
    (unknown,) = (line for line in lines if line.strip().startswith("anthropic/claude-3.5-sonnet"))
    assert unknown.split()[:3] == ["anthropic/claude-3.5-sonnet", "2024-04", "-"]


def test_the_list_as_json_has_the_abilities(config):
    listed = {one["name"]: one for one in json.loads(run("list", "--config", config, "--json").stdout)}
    assert listed["openai/gpt-4o-2024-08-06"]["abilities"] == [
        "temperature",
        "seed",
        "log probabilities (at most 20 a token)",
        "json_schema, json_object",
    ]
    assert listed["local/smollm2-135m"]["input_price"] == 0.0


def test_check_says_what_is_known_and_what_is_not(tmp_path):
    file = tmp_path / "lo.toml"
    with loopback_server() as server:
        file.write_text(
            f'[providers.lo]\nbase_url = "{server.base_url}"\n'
            '[models."lo/mine"]\ncontext = 32768\nlongest_answer = 4096\n'
        )
        mine, other = (run("check", f"lo/{name}", "--config", file).stderr for name in ("mine", "o3"))
        assert server.requests == 0
    assert f"lo/mine: ready, at {server.base_url}" in mine
    assert 'cutoff: not known; write it into [models."lo/mine"] of neuter.toml' in mine
    assert "context: 32,768 tokens, answers up to 4,096" in mine
    assert "price: not known" in mine
    assert "takes: not known; what is asked for is sent" in mine
    assert "takes: temperature only 1; no log probabilities; json_schema, json_object; reasoning low" in other


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (ModelFacts("x/m"), ()),
        (ModelFacts("x/m", seed=False, logprobs=False, top_logprobs=20), ("no seed", "no log probabilities")),
        (ModelFacts("x/m", structured_output=()), ("no structured output",)),
        (ModelFacts("x/m", reasoning=True), ("reasoning",)),
    ],
)
def test_abilities_in_words(fact, said):
    assert abilities(fact) == said
