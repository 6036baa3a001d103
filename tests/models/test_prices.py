"""Prices: the right dollars for a request, from a dated list or the user's own, and never a guess."""

from datetime import date

import pytest

from neuter.errors import UsageError
from neuter.models.catalog import known
from neuter.models.prices import FREE, Price, Tier, known_prices, price_of


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_request_costs_its_tokens():
    # 1,000 in at $2.50 and 40 out at $10 a million: 0.0025 + 0.0004.
    assert price_of("openai/gpt-4o-2024-08-06").cost(1000, 40) == pytest.approx(0.0029)


def test_cached_tokens_are_part_of_the_prompt_and_have_their_own_price():
    price = Price(input=2.0, output=8.0, cached_input=0.5)
    # 600,000 at $2, 400,000 at $0.50, 100,000 at $8 a million: 1.2 + 0.2 + 0.8.
    assert price.cost(1_000_000, 100_000, 400_000) == pytest.approx(2.2)
    assert Price(input=2.0, output=8.0).cost(1_000_000, 0, 400_000) == pytest.approx(2.0)
    assert Price(input=2.0, output=8.0, cached_input=0.0).cost(1_000_000, 0, 400_000) == pytest.approx(1.2)
    assert price.cost(1_000_000, 0, 5_000_000) == pytest.approx(0.5)


def test_a_batch_has_its_share_and_no_discount_on_cached_tokens_that_nobody_published():
    price = Price(input=2.0, output=8.0, cached_input=0.5, batch_share=0.5)
    assert price.cost(1_000_000, 1_000_000, batch=True) == pytest.approx(5.0)
    assert price.cost(1_000_000, 0, 1_000_000, batch=True) == pytest.approx(1.0)
    published = Price(input=1.25, output=10.0, cached_input=0.125, batch_share=0.5, batch_cached_input=0.0625)
    assert published.cost(1_000_000, 0, 1_000_000, batch=True) == pytest.approx(0.0625)
    assert Price(input=2.0, output=8.0).cost(1_000_000, 0, batch=True) == pytest.approx(2.0)


def test_a_long_prompt_pays_the_higher_price_for_all_its_tokens():
    price = price_of("google/gemini-2.5-pro")
    # Up to 200,000 tokens: $1.25 and $10 a million; above: $2.50 and $15.
    assert price.cost(200_000, 1000) == pytest.approx(0.25 + 0.01)
    assert price.cost(200_001, 1000) == pytest.approx(200_001 * 2.5e-6 + 0.015)
    assert price.cost(300_000, 0, 100_000) == pytest.approx(0.5 + 0.025)
    assert price.cost(300_000, 1000, batch=True) == pytest.approx((0.75 + 0.015) / 2)


def test_of_several_tiers_the_highest_reached_counts():
    tiers = (Tier(above=200, input=3.0, output=0.0), Tier(above=100, input=2.0, output=0.0))
    price = Price(input=1.0, output=0.0, tiers=tiers)
    dollars = [price.cost(prompt, 0) * 1_000_000 / prompt for prompt in (100, 101, 201)]
    assert dollars == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize("counts", [(-1, 0, 0), (0, -1, 0), (5, 0, -1)])
def test_no_cost_follows_from_a_count_below_0(counts):
    with pytest.raises(ValueError, match="below 0"):
        Price(input=1.0, output=1.0).cost(*counts)


def test_dated_names_have_entries_of_their_own():
    # OpenAI's price list: the snapshot of May 2024 stayed at $5 and $15, without a price for cached tokens.
    may, august = price_of("openai/gpt-4o-2024-05-13"), price_of("openai/gpt-4o-2024-08-06")
    assert (may.input, may.output, may.cached_input) == (5.0, 15.0, None)
    assert (august.input, august.output, august.cached_input) == (2.5, 10.0, 1.25)
    assert price_of("openai/gpt-4o") == august
    assert price_of("openai/gpt-4o-2099-01-01") is None


def test_what_nobody_priced_has_no_price():
    for model in (
        "myserver/gpt-oss-20b",
        "openai/gpt-oss-20b",
        "azure/gpt-4o",
        "gpt-4o",
        "deepseek/deepseek-r1",
        "",
    ):
        assert price_of(model) is None


def test_models_inside_the_process_cost_nothing():
    assert price_of("local/smollm2-135m") == price_of("simulated/well-read") == FREE
    assert FREE.cost(1_000_000, 1_000_000, batch=True) == 0.0


def test_every_price_that_ships_has_a_day_a_source_and_figures_that_make_sense():
    prices = known_prices()
    assert len(prices) > 50
    for model, price in prices.items():
        assert isinstance(price.as_of, date), model
        assert "genai-prices" in price.source, model
        for rates in (price, *price.tiers):
            assert 0 < (rates.cached_input or rates.input) <= rates.input < rates.output, model
            assert (rates.batch_cached_input or 0) <= rates.input * price.batch_share, model
        assert price.batch_share in (0.5, 1.0), model


def test_the_models_of_the_catalog_that_a_provider_sells_have_a_price():
    priced = {fact.name for fact in known() if price_of(fact.name) not in (None, FREE)}
    assert priced >= {
        "openai/gpt-4o-2024-08-06",
        "openai/gpt-5.1",
        "google/gemini-2.5-pro",
        "google/gemini-2.5-flash",
    }


OWN = '[prices."{}"]\ninput = {}\noutput = 2\n'


def test_the_users_own_price_goes_before_ours_and_a_later_file_replaces_an_earlier(tmp_path):
    write(
        tmp_path / "user/neuter.toml",
        OWN.format("a/m", 1) + OWN.format("b/m", 1) + OWN.format("openai/gpt-4o", 1),
    )
    write(tmp_path / "neuter.toml", OWN.format("a/m", 3) + OWN.format("b/m", 3))
    config = write(tmp_path / "x.toml", OWN.format("b/m", 5) + "cached_input = 0.5\n")
    found = {name: price_of(name, config) for name in ("a/m", "b/m", "openai/gpt-4o")}
    assert {name: price.input for name, price in found.items()} == {"a/m": 3, "b/m": 5, "openai/gpt-4o": 1}
    assert price_of("b/m").input == 3
    # A table replaces the whole of an earlier one, and of ours.
    assert found["openai/gpt-4o"].cached_input is None
    assert found["b/m"].cached_input == 0.5
    assert found["b/m"].source == str(config)


def test_a_users_price_holds_all_that_a_price_has(tmp_path):
    config = write(
        tmp_path / "x.toml",
        '[prices."my/org/m"]\ninput = 1\noutput = 2.5\ncached_input = 0\nbatch_share = 0.5\nbatch_cached_input = 0\n'
        'as_of = 2026-11-30\nsource = "our contract"\n',
    )
    assert price_of("my/org/m", config) == Price(1.0, 2.5, 0.0, 0.5, date(2026, 11, 30), "our contract", 0.0)


def test_our_price_holds_at_the_providers_own_address_alone(tmp_path, monkeypatch):
    elsewhere = '[providers.{}]\nbase_url = "http://127.0.0.1:8000/v1"\n'
    assert price_of("google/gemini-2.5-flash", write(tmp_path / "x.toml", elsewhere.format("google"))) is None
    assert price_of("openai/gpt-4o", write(tmp_path / "x.toml", elsewhere.format("openai"))) is None
    own = write(tmp_path / "x.toml", elsewhere.format("openai") + OWN.format("openai/gpt-4o", 7))
    assert price_of("openai/gpt-4o", own).input == 7
    at_home = '[providers.google]\nbase_url = "https://generativelanguage.googleapis.com/v1beta/openai"\n'
    assert price_of("google/gemini-2.5-flash", write(tmp_path / "x.toml", at_home)).input == 0.3
    monkeypatch.setenv("OPENAI_BASE_URL", "https://API.openai.com/v1/")
    assert price_of("openai/gpt-4o").input == 2.5
    monkeypatch.setenv("OPENAI_BASE_URL", "http://proxy.test/v1")
    assert price_of("openai/gpt-4o") is None


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("inptu = 1\noutput = 2", r"unknown key 'inptu'. Did you mean input\?"),
        ("input = 1", "output is missing"),
        ("output = 1", "input is missing"),
        ("input = -1\noutput = 2", "input = -1 is not 0 or more"),
        ("input = nan\noutput = 2", "input = nan is not 0 or more"),
        ("input = 1\noutput = inf", "output = inf is not 0 or more"),
        ('input = "2.5"\noutput = 2', "input = '2.5' is not a number"),
        ("input = true\noutput = 2", "input = True is not a number"),
        ("input = 1\noutput = 2\nbatch_share = 50", "batch_share = 50 is above 1"),
        ('input = 1\noutput = 2\nas_of = "2026-11-30"', "as_of = '2026-11-30' is not a date"),
        ("input = 1\noutput = 2\nas_of = 2026-11-30T10:00:00", "is not a date"),
        ("input = 1\noutput = 2\nsource = 3", "source = 3 is not a text"),
    ],
)
def test_what_is_wrong_in_a_price_is_said_with_file_and_table(tmp_path, lines, told):
    config = write(tmp_path / "x.toml", f'[prices."my/m"]\n{lines}\n')
    with pytest.raises(UsageError, match=told) as caught:
        price_of("other/m", config)
    assert str(caught.value).startswith(f'{config}: [prices."my/m"]: ')


@pytest.mark.parametrize(
    ("name", "told"),
    [("gpt-4o", "has no provider"), ("local/smollm2-135m", "cost nothing"), ("simulated/x", "cost nothing")],
)
def test_a_table_must_name_a_model_that_can_cost(tmp_path, name, told):
    config = write(tmp_path / "x.toml", OWN.format(name, 1))
    with pytest.raises(UsageError, match=told):
        price_of("other/m", config)
