"""``neuter models batches``: what is under way at a provider, and stopping it."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from neuter.cli.app import run
from neuter.errors import LimitReached
from neuter.models import connect, in_batches
from neuter.models.batch.settings import BatchSettings
from neuter.models.budget import Budget, SpendingLimits
from neuter.models.testing import loopback_server
from neuter.models.testing.batch import tell_batches
from neuter.types import Request


@pytest.fixture
def under_way(tmp_path, monkeypatch):
    """A server with a batch of three requests that never ends, and the options of its store."""
    quick = functools.partial(BatchSettings, first_poll=0.05, longest_poll=0.1, settle=0.1)
    monkeypatch.setattr(in_batches, "BatchSettings", quick)
    store, config = tmp_path / "s.sqlite", tmp_path / "neuter.toml"
    with loopback_server() as server:
        tell_batches(server.base_url, faults=["batch-hang"], times=None)
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n')
        asked = [Request(str(i), (("user", f"question {i}"),)) for i in range(3)]
        budget = Budget("r", SpendingLimits(max_minutes=0.02))
        with (
            connect("lo/m", store=store, config=config, batch=True, budget=budget) as model,
            pytest.raises(LimitReached),
        ):
            list(model.ask(asked))
        yield ["--store", str(store)], ["--config", str(config)], asked


def test_an_open_batch_is_listed_until_it_is_given_up_and_its_requests_can_then_be_asked(under_way, capsys):
    store, config, asked = under_way
    assert run(["models", "batches", *store, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["model"], found["requests"], found["state"]) == ("lo/m", 3, "submitted")
    assert run(["models", "batches", *store]) == 0
    shown = capsys.readouterr().out
    assert found["remote"] in shown
    assert "lo/m" in shown
    assert run(["models", "batches", *store, *config, "--give-up", found["remote"]]) == 0
    assert "given up: its requests are asked anew" in capsys.readouterr().err
    assert run(["models", "batches", *store]) == 0
    assert "No batch is under way" in capsys.readouterr().err
    with connect("lo/m", store=Path(store[1]), config=Path(config[1])) as model:
        assert [r.text is not None for r in model.ask(asked)] == [True] * 3


def test_a_batch_can_be_stopped_at_the_server(under_way, capsys):
    store, config, _ = under_way
    run(["models", "batches", *store, "--json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert run(["models", "batches", *store, *config, "--cancel", found["id"]]) == 0
    assert "the server was asked to stop it" in capsys.readouterr().err


def test_a_batch_that_is_not_there_and_a_store_that_is_not(under_way, capsys, tmp_path):
    store, config, _ = under_way
    assert run(["models", "batches", *store, *config, "--cancel", "nowhere"]) == 2
    assert "no batch 'nowhere' is under way. Under way: batch" in capsys.readouterr().err
    assert run(["models", "batches", "--store", str(tmp_path / "none.sqlite")]) == 2
    assert "there is no store" in capsys.readouterr().err
