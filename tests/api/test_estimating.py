"""What a run would cost: dollars by request, unknown where nobody priced it, and sentences that say what is assumed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from neuter.api.estimating import dollars, estimate, notes_on, priced, total_of
from neuter.errors import UsageError
from neuter.types import Document


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("neuter.models.configuration.user_file", lambda: tmp_path / "user" / "neuter.toml")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def row(model: str | None = "openai/gpt-4o", **given: Any) -> dict[str, Any]:
    return {
        "what": "attacker llm",
        "model": model,
        "requests": 4,
        "prompt_tokens": 6000,
        "completion_tokens": 160,
        "tokens_are": "tiktoken o200k_base",
        "sizes": ((1000.0, 40), (2000.0, 40)),
        **given,
    }


def test_a_row_costs_its_requests_at_the_list_price():
    (made,) = priced([row()])
    # Twice 3,000 in at $2.50 and twice 80 out at $10 a million.
    assert made["cost"] == pytest.approx(0.015 + 0.0016)
    assert made["batch_cost"] == pytest.approx(0.0083)
    assert made["price_as_of"] == date(2026, 10, 14)
    assert "sizes" not in made


def test_each_request_has_the_price_of_its_own_length():
    (made,) = priced([row("google/gemini-2.5-pro", requests=2, sizes=((100_000.0, 0), (300_000.0, 0)))])
    # 100,000 at $1.25 and 300,000 at $2.50 a million; their mean would cost 400,000 at $1.25.
    assert made["cost"] == pytest.approx(0.125 + 0.75)


def test_no_price_is_unknown_and_so_is_the_total():
    rows = priced([row(), row("my/m"), row(None)])
    assert [each["cost"] for each in rows[1:]] == [None, None]
    total = total_of(rows)
    assert (total["cost"], total["batch_cost"]) == (None, None)
    assert total["known_cost"] == pytest.approx(0.0166)
    assert (total["requests"], total["prompt_tokens"], total["completion_tokens"]) == (12, 18000, 480)


def test_the_users_price_is_read_from_the_configuration(tmp_path: Path):
    config = tmp_path / "x.toml"
    config.write_text('[prices."my/m"]\ninput = 1\noutput = 0\n')
    assert priced([row("my/m")], config)[0]["cost"] == pytest.approx(0.006)
    config.write_text('[prices."my/m"]\ninput = -1\noutput = 0\n')
    with pytest.raises(UsageError, match="not 0 or more"):
        priced([row("my/m")], config)


def test_models_inside_the_process_cost_nothing_which_is_not_unknown():
    rows = priced([row("local/smollm2-135m"), row("simulated/well-read")])
    assert total_of(rows)["cost"] == 0.0
    assert not any("Prices" in note or "batch" in note for note in notes_on(rows))


def test_a_row_is_priced_once():
    once = priced([row("google/gemini-2.5-pro")])
    assert once[0]["cost"] is not None
    assert priced(once) == once


def test_a_suite_that_tells_only_tokens_is_priced_by_the_mean_request():
    told = {"what": "own", "model": "openai/gpt-4o", "requests": 10, "tokens": 4000}
    (made,) = priced([told])
    assert (made["prompt_tokens"], made["completion_tokens"]) == (4000, 0)
    assert made["cost"] == pytest.approx(0.01)
    # Where the price depends on a prompt's length, a mean says nothing.
    assert priced([{**told, "model": "google/gemini-2.5-pro"}])[0]["cost"] is None
    assert priced([{**told, "requests": 0, "tokens": 0}])[0]["cost"] == 0.0


def test_the_notes_say_what_is_assumed_and_of_when_the_prices_are():
    notes = " ".join(notes_on(priced([row()])))
    for part in (
        "Tokens in: tiktoken o200k_base.",
        "40 for a guess",
        "reasoning model",
        "Prices as of 2026-10-14, in US dollars: OpenAI",
        "As a batch, where the server takes one: $0.0083.",
        "not paid again",
    ):
        assert part in notes
    assert "No price" not in notes
    assert notes_on([]) == []


def test_the_notes_name_the_models_without_a_price_and_what_to_write():
    rows = priced(
        [row(), row("my/m", tokens_are="estimated"), row("my/m"), row("my/n", tokens_are="estimated")]
    )
    notes = notes_on(rows)
    assert "Tokens in of openai/gpt-4o, my/m: tiktoken o200k_base." in notes
    assert "Tokens in of my/m, my/n: estimated." in notes
    (unpriced,) = [note for note in notes if "No price" in note]
    assert "of my/m, my/n:" in unpriced
    assert '[prices."my/m"]' in unpriced
    assert not any("As a batch" in note for note in notes)


def test_money_is_written_for_a_reader():
    written = [dollars(cost) for cost in (None, 0.0, 0.1, 1234.567, 0.0834, 0.00001234, 0.02)]
    assert written == ["unknown", "$0", "$0.10", "$1,234.57", "$0.083", "$0.000012", "$0.02"]


def test_an_evaluation_is_estimated_with_its_cost():
    documents = [
        Document(id=f"d{k}", text="We sold. " * 400, ticker="AAPL", fiscal_year=2021) for k in range(3)
    ]
    made = estimate(
        {"corpus": documents, "schemes": ["none", "entity-neutering"], "models": ["openai/gpt-4o"]}
    )
    rows = {each["what"]: each for each in made}
    assert set(rows) == {"scheme entity-neutering", "attacker llm", "attacker prior"}
    assert rows["attacker llm"]["requests"] == 6
    assert rows["attacker llm"]["completion_tokens"] == 240
    for each in made:
        by_hand = each["prompt_tokens"] * 2.5e-6 + each["completion_tokens"] * 10e-6
        assert each["cost"] == pytest.approx(by_hand, rel=0.01)
