"""Filling the store through the batch API: the same keys and answers as online, money counted, limits kept."""

import asyncio
import time

import pytest
from asking import questions
from batching import (
    PRICE,
    batches_for,
    calls_for,
    client_for,
    echo,
    filled,
    kinds,
    states,
    table,
    texts,
)

from neuter.errors import ModelError
from neuter.models.batch import open_batches
from neuter.models.calls import Call
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches


def test_every_call_is_answered_under_its_key_whatever_the_order_of_the_lines(tmp_path):
    store, heard = tmp_path / "s.sqlite", []
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 7)
        tell_batches(server.base_url, polls=1)
        told = lambda *values: heard.append(values)  # noqa: E731
        assert filled(store, server.base_url, calls, told=told, most_requests=3) == {}
        assert tell_batches(server.base_url)["batches"] == 3
        assert (server.requests, server.unique) == (7, 7)
    with Store(store) as opened:
        for number, call in enumerate(calls):
            response = opened.find(call.key)
            assert response.text == f"answer to question {number}"
            assert (response.channel, response.server_model, response.sample) == ("batch", "m-loopback", 0)
    assert heard[0] == ("lo/m (batch)", 0, 7)
    assert heard[-1] == ("lo/m (batch)", 7, 7)
    assert states(store) == {"harvested": 3}


def test_nothing_to_fill_asks_nobody(tmp_path):
    assert filled(tmp_path / "s.sqlite", "http://127.0.0.1:9/v1", []) == {}


def test_the_input_file_is_deleted_at_the_server_once_its_answers_are_kept(tmp_path):
    with loopback_server(answer=echo) as server:
        filled(tmp_path / "s.sqlite", server.base_url, calls_for(server.base_url, 2))
        counts = tell_batches(server.base_url)
    assert counts["calls"]["delete"] == 1
    assert counts["files"] == 1  # the output


def test_what_came_in_a_batch_is_not_asked_online_and_the_other_way_round(tmp_path, connected):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        with connected(server, store=store) as model:
            list(model.ask(questions(3)))
        assert filled(store, server.base_url, calls_for(server.base_url, 6)) == {}
        assert (server.requests, server.most) == (6, 1)
        with connected(server, store=store) as model:
            responses = list(model.ask(questions(6)))
        assert server.requests == 6
    assert [response.text for response in responses] == [f"answer to question {i}" for i in range(6)]
    assert all(response.reused for response in responses)
    channels = table(store, "SELECT channel, count(*) FROM responses GROUP BY channel")
    assert channels == [("batch", 3), ("online", 3)]


def test_the_ledger_has_a_row_from_the_intent_on_and_the_price_of_a_batch_at_the_end(tmp_path):
    """Two words asked and four answered, at 2 and 8 dollars a million, half of it in a batch: 18 millionths."""
    store, seen = tmp_path / "s.sqlite", []
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 2, max_tokens=100)

        async def half_way(batches, calls):
            with Store(store) as other:
                query = "SELECT kind, channel, run, cost, estimated_cost FROM attempts"
                read = lambda connection: connection.execute(query).fetchall()  # noqa: E731
                batches._server.retrieve, real = None, batches._server.retrieve

                async def look(batch):
                    seen.append(other.read(read))
                    return await real(batch)

                batches._server.retrieve = look
                return await batches.fill(calls)

        filled(store, server.base_url, calls, then=half_way, budget=("run-1",))
    # Ten characters and four tokens around them are 6 tokens; 100 may come back.
    estimate = (6 * 2 + 100 * 8) / 1e6 / 2
    assert seen == [[("under_way", "batch", "run-1", None, pytest.approx(estimate))] * 2]
    rows = table(
        store,
        "SELECT kind, number, status, prompt_tokens, completion_tokens, cost, estimated_cost FROM attempts",
    )
    assert rows == [("answered", 1, 200, 2, 4, pytest.approx(18e-6), None)] * 2
    assert table(store, "SELECT cost FROM responses") == [(pytest.approx(18e-6),)] * 2


def test_without_a_price_the_cost_is_unknown_and_not_nought(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        filled(store, server.base_url, calls_for(server.base_url, 1), price=None)
    assert table(store, "SELECT cost, estimated_cost FROM attempts") == [(None, None)]


def test_a_response_that_is_to_be_replaced_is_set_aside_when_the_new_one_is_there(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        [call] = calls_for(server.base_url, 1)
        filled(store, server.base_url, [call])
        with Store(store) as opened:
            first = opened.find(call.key)
        time.sleep(0.01)
        server.behaviour.answer = "a second answer"
        assert filled(store, server.base_url, [call]) == {}
        assert server.requests == 1
        again = Call(call.key, call.body, call.sample, replaces=first.created_at)
        assert filled(store, server.base_url, [again]) == {}
        assert filled(store, server.base_url, [again]) == {}
        assert server.requests == 2
    assert texts(store) == {"question 0": "a second answer"}
    assert table(store, "SELECT text FROM earlier_responses") == [("answer to question 0",)]


def test_a_request_longer_than_any_file_fails_and_the_others_go_their_way(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 2)
        body = {"model": "m", "messages": [{"role": "user", "content": "x" * 2000}]}
        reasons = filled(
            store, server.base_url, [calls[0], Call(b"long" * 8, body, 0), calls[1]], most_bytes=1000
        )
    assert list(reasons) == [b"long" * 8]
    assert "longer than an input file" in reasons[b"long" * 8]
    assert len(texts(store)) == 2


def test_batches_are_cut_by_bytes(tmp_path):
    """A line has 218 bytes here, and a file may have 500: two requests each."""
    with loopback_server(answer=echo) as server:
        filled(tmp_path / "s.sqlite", server.base_url, calls_for(server.base_url, 6), most_bytes=500)
    assert table(tmp_path / "s.sqlite", "SELECT requests FROM batches") == [(2,), (2,), (2,)]


# By hand


def test_a_batch_that_is_cancelled_brings_what_is_done_and_the_rest_is_not_sent_again_unasked(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, delay=60.0)
        calls = calls_for(server.base_url, 4)

        async def cancelled(batches, calls):
            filling = asyncio.create_task(batches.fill(calls))
            await asyncio.sleep(0.3)
            [batch] = open_batches(batches._store)
            await batches.cancel(batch.remote)
            return await filling

        reasons = filled(store, server.base_url, calls, then=cancelled)
        assert set(reasons) == {calls[0].key, calls[2].key}
        assert (server.requests, len(texts(store))) == (2, 2)
        tell_batches(server.base_url, delay=0.0)
        assert filled(store, server.base_url, calls) == {}
        assert server.most == 1


def test_a_batch_that_is_given_up_is_possibly_billed_and_its_requests_are_free(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        tell_batches(server.base_url, faults=["batch-hang"], times=1)
        calls = calls_for(server.base_url, 2, max_tokens=100)

        async def given_up(batches, calls):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(batches.fill(calls), 0.3)
            with pytest.raises(ModelError, match=r"no batch 'nonsense' is under way.*batch_000002"):
                await batches.give_up("nonsense")
            await batches.give_up("batch_000002")
            return await batches.fill(calls)

        assert filled(store, server.base_url, calls, then=given_up) == {}
    assert kinds(store) == {"ambiguous": 2, "answered": 2}
    [(possibly,)] = table(store, "SELECT sum(estimated_cost) FROM attempts")
    assert possibly == pytest.approx(2 * (6 * 2 + 100 * 8) / 1e6 / 2)


def test_a_batch_of_another_account_stops_the_run_and_sends_nothing(tmp_path):
    store = tmp_path / "s.sqlite"
    with loopback_server(answer=echo) as server:
        calls = calls_for(server.base_url, 2)
        tell_batches(server.base_url, faults=["batch-hang"], times=1)

        async def left(batches, calls):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(batches.fill(calls), 0.3)

        filled(store, server.base_url, calls, then=left)
        with Store(store) as opened:
            opened.write(
                lambda connection: (
                    connection.execute("UPDATE batches SET remote = 'batch_elsewhere'").rowcount
                )
            )
        with pytest.raises(ModelError, match=r"does not show the batch batch_elsewhere: .*404.*Use the key"):
            filled(store, server.base_url, calls)
        # Requests of others are not held up by it.
        assert filled(store, server.base_url, calls_for(server.base_url, 2, start=9)) == {}
        # After its time it is given up: whatever became of it, it may have been billed.
        assert set(filled(store, server.base_url, calls, window=0.0, grace=0.0).values()) == {
            "the server does not show the batch batch_elsewhere any more: the server answered 404: no such batch; "
            "the next run sends it anew"
        }
    assert kinds(store) == {"answered": 2, "ambiguous": 2}


# Servers and keys


def test_a_server_without_a_batch_api_is_named_as_that(tmp_path):
    from aiohttp import web

    async def run():
        runner = web.AppRunner(web.Application())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        with Store(tmp_path / "s.sqlite") as store:
            async with client_for(url) as client:
                with pytest.raises(ModelError, match="leave --batch out"):
                    await batches_for(url, store, client).fill(calls_for(url, 2))
        await runner.cleanup()

    asyncio.run(run())
    assert kinds(tmp_path / "s.sqlite") == {"transient": 2}


def test_a_server_that_is_not_there_is_an_error_after_three_tries(tmp_path):
    with pytest.raises(ModelError, match="cannot be reached"):
        filled(tmp_path / "s.sqlite", "http://127.0.0.1:9/v1", calls_for("http://127.0.0.1:9/v1", 2))


def test_the_path_of_the_requests_may_be_that_of_azure(tmp_path):
    lines = []
    with loopback_server(answer=echo) as server:

        async def watched(batches, calls):
            real = batches._server.upload

            async def upload(name, file):
                file.seek(0)
                lines.extend(file.read().splitlines())
                return await real(name, file)

            batches._server.upload = upload
            return await batches.fill(calls)

        calls = calls_for(server.base_url, 1)
        assert (
            filled(tmp_path / "s.sqlite", server.base_url, calls, then=watched, url="/chat/completions") == {}
        )
    assert lines == [
        b'{"custom_id":"' + calls[0].key.hex().encode() + b'","method":"POST","url":"/chat/completions",'
        b'"body":{"model":"m","messages":[{"role":"user","content":"question 0"}]}}'
    ]


@pytest.mark.parametrize("fault", ["401", "echo-key", "drop"])
def test_the_key_is_in_no_error_and_in_no_file(tmp_path, fault):
    key = "sk-loopback-5e8f1a"
    policy = RetryPolicy(attempts=2, first_wait=0.01)
    with loopback_server(answer=lambda _: f"your key is {key}", key=key) as server:
        calls = calls_for(server.base_url, 2)
        for step in ("upload", "create", "retrieve", "content"):
            tell_batches(server.base_url, faults=[fault], scope=[step])
            with pytest.raises(ModelError) as error:
                filled(tmp_path / "s.sqlite", server.base_url, calls, key=key, policy=policy)
            assert key not in f"{error.value!r} {error.value}"
        with pytest.raises(ModelError, match=r"refused|asks for a key"):
            filled(tmp_path / "s.sqlite", server.base_url, calls, key="sk-wrong-77aa3c")
        tell_batches(server.base_url, faults=[])
        assert filled(tmp_path / "s.sqlite", server.base_url, calls, key=key) == {}
    assert set(texts(tmp_path / "s.sqlite").values()) == {"your key is [key]"}
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes()


def test_the_price_of_a_batch_is_its_share_of_the_online_price():
    assert PRICE.cost(10, 10, batch=True) == PRICE.cost(10, 10) / 2
