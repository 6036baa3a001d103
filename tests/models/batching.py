"""What the tests of batches share: calls, settings short enough for tests, and a filling from start to end."""

import asyncio
import json

from neuter.models.batch import Batches, BatchSettings
from neuter.models.bounded import bounded_client
from neuter.models.budget import Budget
from neuter.models.calls import Call
from neuter.models.keys import request_key
from neuter.models.prices import Price
from neuter.models.providers import Provider
from neuter.models.retry import RetryPolicy
from neuter.models.store import Store

#: Waits short enough for tests; the numbers of attempts are those of the default policy.
QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.02, total=10.0)
SETTINGS = {"first_poll": 0.01, "longest_poll": 0.02, "settle": 0.02, "timeout": 5.0, "transfer": 5.0}
#: A million tokens of prompt cost 2 dollars and of answer 8; half of that in a batch.
PRICE = Price(input=2.0, output=8.0, batch_share=0.5)


def calls_for(base_url, count, *, start=0, **parameters):
    bodies = [
        {"model": "m", "messages": [{"role": "user", "content": f"question {i}"}], **parameters}
        for i in range(start, start + count)
    ]
    return [Call(request_key(body, base_url), body, 0) for body in bodies]


def echo(body):
    return "answer to " + body["messages"][-1]["content"]


def batches_for(base_url, store, client, *, policy=QUICK, price=PRICE, budget=None, model="lo/m", **settings):
    return Batches(
        model=model,
        base_url=base_url,
        provider=Provider("lo", base_url=base_url),
        store=store,
        client=client,
        price=price,
        policy=policy,
        budget=budget,
        settings=BatchSettings(**{**SETTINGS, **settings}),
    )


def client_for(base_url, key="a-test-key"):
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        api_key=key, base_url=base_url, max_retries=0, timeout=5.0, http_client=bounded_client()
    )


def filled(path, base_url, calls, *, told=None, then=None, key="a-test-key", budget=None, **options):
    """Fill a store as a process of its own would: open it, fill, close. ``then`` may do something in the middle."""

    async def run():
        with Store(path) as store:
            async with client_for(base_url, key) as client:
                batches = batches_for(base_url, store, client, budget=budget and Budget(*budget), **options)
                if then:
                    return await then(batches, calls)
                return await batches.fill(calls, told)

    return asyncio.run(run())


def table(path, query, *values):
    with Store(path) as store:
        return store.read(lambda connection: connection.execute(query, values).fetchall())


def texts(path):
    """The text of each response, by the last words of its prompt."""
    rows = table(path, "SELECT p.messages, r.text FROM responses r JOIN prompts p ON p.hash = r.prompt")
    return {json.loads(messages)[-1]["content"]: text for messages, text in rows}


def kinds(path):
    """How often each kind of attempt is in the ledger."""
    return dict(table(path, "SELECT kind, count(*) FROM attempts GROUP BY kind"))


def states(path):
    return dict(table(path, "SELECT state, count(*) FROM batches GROUP BY state"))
