"""Azure: a deployment and a version in the address, the key in a header of its own, and its content filter."""

import asyncio
import json
from datetime import date

import pytest
from recording import recording_server

from neuter.errors import ModelError, UsageError
from neuter.models import check, connect, facts
from neuter.models.engines import find_engine
from neuter.models.providers import load_providers
from neuter.models.replies import Fault, read_answer
from neuter.types import Outcome, Request

KEY = "azure-key-0123456789"
QUESTION = Request("q", (("user", "hi"),), {"max_tokens": 5})


@pytest.fixture
def configured(tmp_path, monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)

    def configure(address, extra=""):
        file = tmp_path / "azure.toml"
        file.write_text(
            f'[providers.az]\nkind = "azure"\nbase_url = "{address}"\napi_version = "2024-10-21"\n{extra}\n'
        )
        return file

    return configure


def ask(model, config):
    with connect(model, config=config) as connected:
        return list(connected.ask([QUESTION]))


def test_the_model_is_the_deployment_and_the_key_goes_in_its_own_header(configured):
    with recording_server() as server:
        (response,) = ask("az/gpt-4o-2024-08-06", configured(server.address))
    assert (response.outcome, response.text) == (Outcome.ANSWERED, "hello")
    (asked,) = server.asked
    assert asked.method == "POST"
    assert asked.target == "/openai/deployments/gpt-4o-2024-08-06/chat/completions?api-version=2024-10-21"
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers
    assert json.loads(asked.body)["messages"] == [{"role": "user", "content": "hi"}]


def test_a_deployment_of_another_name_serves_the_model(configured):
    with recording_server() as server:
        config = configured(server.address, '[providers.az.deployments]\n"gpt-4o-2024-08-06" = "research-1"')
        ask("az/gpt-4o-2024-08-06", config)
    assert server.asked[0].target.startswith("/openai/deployments/research-1/chat/completions?")
    # In a batch there is only the body to name the deployment.
    assert json.loads(server.asked[0].body)["model"] == "research-1"
    assert facts("az/gpt-4o-2024-08-06", config).cutoff == date(2023, 10, 1)
    assert load_providers(config)["az"].batch_path == "/chat/completions"


def test_the_stores_address_names_resource_and_deployment_and_no_version(configured):
    config = configured("https://Res.openai.azure.com/", '[providers.az.deployments]\na = "one"\nb = "one"')
    addresses = {name: find_engine(f"az/{name}", config).base_url for name in ("a", "b", "c", "d/e")}
    assert addresses["a"] == addresses["b"] == "https://res.openai.azure.com/openai/deployments/one"
    assert addresses["c"] == "https://res.openai.azure.com/openai/deployments/c"
    assert addresses["d/e"] == "https://res.openai.azure.com/openai/deployments/d%2Fe"


def test_a_name_with_a_slash_stays_one_part_of_the_address(configured):
    with recording_server() as server:
        ask("az/d/e", configured(server.address))
    assert server.asked[0].target.startswith("/openai/deployments/d%2Fe/chat/completions?")


def test_check_asks_for_the_list_of_models_and_spends_nothing(configured):
    with recording_server() as server:
        assert check("az/m", configured(server.address)).ready
    (asked,) = server.asked
    assert (asked.method, asked.target) == ("GET", "/openai/models?api-version=2024-10-21")


def test_the_newer_address_is_the_plain_protocol(tmp_path, monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    config = tmp_path / "v1.toml"
    with recording_server() as server:
        config.write_text(
            f'[providers.az]\nbase_url = "{server.address}/openai/v1"\napi_key_env = "AZURE_OPENAI_API_KEY"\n'
        )
        ask("az/my-deployment", config)
    (asked,) = server.asked
    assert asked.target == "/openai/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(asked.body)["model"] == "my-deployment"


def test_a_prompt_that_the_content_filter_stops_is_filtered_and_stored(configured):
    # The shape of Microsoft's documentation of content filtering.
    reply = {
        "error": {
            "message": "The response was filtered",
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}},
        }
    }
    with recording_server(status=400, reply=reply) as server:
        config = configured(server.address)
        (first,) = ask("az/m", config)
        (again,) = ask("az/m", config)
    assert first.outcome is Outcome.FILTERED
    assert (again.outcome, again.reused) == (Outcome.FILTERED, True)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "error",
    [{"code": "content_filter"}, {"code": "400", "innererror": {"code": "ResponsibleAIPolicyViolation"}}],
)
def test_the_filter_is_known_by_its_code_or_its_policy(error):
    fault = read_answer(json.dumps({"error": {"message": "m", **error}}))
    assert isinstance(fault, Fault)
    assert fault.filtered


def test_an_answer_that_the_filter_stopped_may_have_no_message():
    answer = read_answer('{"choices": [{"index": 0, "finish_reason": "content_filter"}]}')
    assert (answer.outcome, answer.text) == (Outcome.FILTERED, None)


def test_an_unknown_deployment_is_said(configured):
    reply = {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist"}}
    with recording_server(status=404, reply=reply) as server:
        with pytest.raises(ModelError, match="does not exist") as caught:
            ask("az/m", configured(server.address))
        assert "deployment's name" in caught.value.todo
        assert KEY not in str(caught.value)


def test_the_key_that_azure_sends_back_is_masked(configured):
    reply = {"error": {"code": "401", "message": f"wrong key {KEY}"}}
    with recording_server(status=418, reply=reply) as server:

        async def send():
            transport = find_engine("az/m", configured(server.address)).open(timeout=5, concurrency=1)
            try:
                return await transport.send({"model": "m", "messages": []})
            finally:
                await transport.close()

        body = asyncio.run(send()).body
    assert KEY not in body
    assert "wrong key [key]" in body


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('kind = "azure"\nbase_url = "https://a"', "api_version is missing"),
        ('kind = "azure"\napi_version = "1"', "base_url is missing"),
        ('kind = "azure"\napi_version = "1"\nbase_url = "https://a/openai/v1"', "more than the resource's address"),
        ('kind = "azure"\napi_version = "1"\nbase_url = "https://a/openai/deployments/x"', "more than the resource's address"),
        ('kind = "azur"\nbase_url = "https://a"', "kind = 'azur' is not known"),
        ('base_url = "https://a"\napi_version = "1"', "api_version is for servers of the kind azure"),
        ('base_url = "https://a"\ndeployments = { a = "b" }', "deployments is for servers of the kind azure"),
        ('kind = "azure"\napi_version = "1"\nbase_url = "https://a"\ndeployments = { a = "b/../c" }', "no name of a deployment"),
        ('kind = "azure"\napi_version = "1"\nbase_url = "https://a"\ndeployments = { a = 3 }', "no name of a deployment"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_table_is_said(tmp_path, lines, message):
    file = tmp_path / "x.toml"
    file.write_text(f"[providers.az]\n{lines}\n")
    with pytest.raises(UsageError, match=message) as caught:
        load_providers(file)
    assert caught.value.where.startswith(f"{file}: [providers.az]")


def test_the_resources_address_may_end_in_openai(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(
        '[providers.az]\nkind = "azure"\napi_version = "1"\nbase_url = "https://gateway.test/team/openai/"\n'
    )
    assert load_providers(file)["az"].base_url == "https://gateway.test/team"
    assert load_providers(file)["az"].api_key_env == "AZURE_OPENAI_API_KEY"
