"""Simulated models: what a SPEC says, and how one answers through the runner and the store."""

import dataclasses
import json
import sqlite3
import time
from datetime import date

import pytest

from neuter.errors import UsageError
from neuter.models import check, connect, facts, list_models
from neuter.models.providers import load_providers
from neuter.models.simulated import Planted, plant
from neuter.models.simulated import respondent_of as exported
from neuter.models.simulated.respondent import Respondent, presets, respondent_of, wrong_firms
from neuter.prompts import load
from neuter.types import Outcome, Request

TEXT = load("identification").fill("Company_1 sold number_a units.")
APPLE = Planted(
    "d1", ticker="AAPL", label="cik:0000320193", sector="Technology", fiscal_year=2021, fiscal_quarter=2
)


def question(id_="d1", text=TEXT):
    return Request(id_, (("user", text),), {"temperature": 0.0})


def told(spec, *requests, **options):
    with connect(f"simulated/{spec}", **options) as model:
        return list(model.ask(requests))


# SPEC


def test_settings_follow_a_preset_or_stand_alone():
    assert respondent_of("simulated/firms=0.6,years=0.7,seed=3") == Respondent(firms=0.6, years=0.7, seed=3)
    read = respondent_of("simulated/well-read, refusals=0.1 ,large=none")
    assert (read.small, read.refusals, read.large) == (0.3214, 0.1, None)
    assert respondent_of("simulated/defaults") == Respondent()
    assert exported is respondent_of


def test_every_kind_of_setting_is_read():
    spec = "reading=call,cutoff=2023-10,confidence=off,noise=3,overconfidence=-0.5,delay=0.25"
    assert respondent_of(f"simulated/{spec}") == Respondent(
        reading="call", cutoff=date(2023, 10, 1), confidence=False, noise=3.0, overconfidence=-0.5, delay=0.25
    )
    assert respondent_of("simulated/cutoff=2023-10-15").cutoff == date(2023, 10, 15)


def test_well_read_has_the_means_of_table_7():
    # Table 7, Panel B: calls 528, 530, 420; year 42.05, 38.49, 31.67; quarter and year 9.09, 8.11, 6.43;
    # absolute difference 2.12, 2.57, 2.44; difference -1.75, -2.08, -1.69.
    read, calls = respondent_of("simulated/well-read"), (528, 530, 420)

    def mean(*values):
        return sum(n * v for n, v in zip(calls, values, strict=True)) / sum(calls)

    assert read.years == pytest.approx(mean(42.05, 38.49, 31.67) / 100, abs=0.001)
    assert read.years * read.quarters == pytest.approx(mean(9.09, 8.11, 6.43) / 100, abs=0.001)
    absolute = (1 - read.years) * read.noise
    assert absolute == pytest.approx(mean(2.12, 2.57, 2.44), abs=0.02)
    assert absolute * (1 - 2 * read.early) == pytest.approx(mean(-1.75, -2.08, -1.69), abs=0.02)
    assert (read.large, read.mid, read.small) == (0.6553, 0.4038, 0.3214)


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_had(name):
    assert respondent_of(f"simulated/{name}").spec != "defaults"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("well-red", "Did you mean well-read"),
        ("firm=0.5", "Did you mean firms"),
        ("zzz=1", "Known: firms, large"),
        ("firms=60", "Write 0.6 for 60%"),
        ("firms=-0.1", "from 0 to 1"),
        ("firms=nan", "from 0 to 1"),
        ("firms=many", "Give a number"),
        ("firms=0.5,firms=0.6", "set twice"),
        ("seed=3,well-read", "comes first"),
        ("well-read,whatever", "is no setting"),
        ("reading=lunar", "fiscal, calendar, call"),
        ("cutoff=2023-13", "YYYY-MM"),
        ("cutoff=soon", "YYYY-MM"),
        ("confidence=maybe", "on or off"),
        ("seed=1.5", "whole number"),
        ("seed=" + "9" * 5000, "whole number"),
        ("noise=0.5", "from 1 to 21"),
        ("noise=inf", "from 1 to 21"),
        ("value_noise=0", "from 1e-06"),
        ("delay=3600", "from 0 to 60"),
        ("refusals=0.6,truncated=0.6", "come to 1.2"),
        (",", "no preset ''"),
        (" ", "no settings"),
    ],
)
def test_a_wrong_spec_is_refused_with_what_to_do(spec, says):
    with pytest.raises(UsageError) as caught:
        respondent_of(f"simulated/{spec}")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 6000


def test_a_spec_has_one_canonical_form_that_reads_back():
    respondent = respondent_of("simulated/well-read,years=0.70,confidence=off,delay=1")
    assert respondent.spec.endswith("early=0.89,confidence=off,delay=1")
    assert respondent_of(f"simulated/{respondent.spec}") == respondent
    assert (
        respondent_of("simulated/seed=3,firms=.6").base_url
        == respondent_of("simulated/firms=0.60,seed=3").base_url
    )


def test_every_setting_is_part_of_the_address_in_the_store():
    other = dict.fromkeys(["large", "mid", "small"], 0.3) | {
        "reading": "call", "cutoff": date(2020, 1, 1), "confidence": False, "noise": 3.0, "seed": 9,
        "prices": "split_adjusted", "vintage": "latest", "sureness": 0.7, "reasoning": True,
    }  # fmt: skip
    addresses = {Respondent().base_url}
    for field in dataclasses.fields(Respondent):
        addresses.add(Respondent(**{field.name: other.get(field.name, 0.123)}).base_url)
    assert len(addresses) == 1 + len(dataclasses.fields(Respondent))
    # The digest alone tells them apart, so a changed default does too, which no SPEC would show.
    assert len({address.split("/")[2] for address in addresses}) == len(addresses)


def test_wrong_firms_are_many_and_distinct():
    assert (
        len({w.ticker for w in wrong_firms()})
        == len({w.label for w in wrong_firms()})
        == len(wrong_firms())
        == 49
    )


# Registration


def test_it_is_listed_checked_and_has_its_cutoff():
    listed = {one.name: one for one in list_models()}
    assert listed["simulated/well-read"].ready
    assert listed["simulated/well-read"].cutoff == date(2023, 10, 1)
    assert listed["simulated/*"].ready
    assert "firms=0.6" in check("simulated/firms=0.6").state
    assert facts("simulated/well-read,cutoff=2022-05").cutoff == date(2022, 5, 1)
    assert facts("simulated/of-an-old-run").cutoff is None
    with pytest.raises(UsageError, match="Did you mean"):
        check("simulated/firm=0.6")


def test_nothing_can_be_configured_under_its_name(tmp_path):
    file = tmp_path / "neuter.toml"
    file.write_text('[providers.simulated]\nbase_url = "http://127.0.0.1:1/v1"\n')
    with pytest.raises(UsageError, match="built into neuter"):
        load_providers(file)


# Answers through the runner and the store


def test_it_answers_from_what_was_planted_and_the_store_keeps_it():
    (first,) = told("all-knowing", plant(question(), APPLE))
    assert first.text == (
        "Company Estimate: AAPL, Industry Estimate: Technology, Quarter Estimate: Q2, Year Estimate: 2021"
    )
    (again,) = told("all-knowing", plant(question(), APPLE))
    assert (again.text, again.reused) == (first.text, True)


def test_a_changed_truth_is_not_answered_from_the_store(tmp_path):
    changed = dataclasses.replace(APPLE, fiscal_year=2022)
    first, second = (told("all-knowing", plant(question(), truth))[0] for truth in (APPLE, changed))
    assert not second.reused
    assert second.text == first.text.replace("2021", "2022")
    with sqlite3.connect(tmp_path / "store.sqlite") as store:
        assert store.execute("SELECT count(*) FROM prompts").fetchone() == (1,)
        (parameters,) = store.execute("SELECT parameters FROM responses").fetchone()
    assert json.loads(parameters)["planted"]["ticker"] == "AAPL"


def test_two_documents_with_one_masked_text_are_each_answered_from_their_own_truth():
    other = dataclasses.replace(APPLE, id="d2", ticker="MSFT", label="cik:0000789019")
    answers = told("all-knowing", plant(question("d1"), APPLE), plant(question("d2"), other))
    assert ["AAPL" in answers[0].text, "MSFT" in answers[1].text] == [True, True]


def test_changed_settings_are_not_answered_from_the_store():
    first = told("all-knowing", plant(question(), APPLE))[0]
    second = told("all-knowing,quarters=0", plant(question(), APPLE))[0]
    assert not second.reused
    assert first.text != second.text


def test_answers_do_not_depend_on_order_concurrency_or_company(tmp_path):
    truths = [
        dataclasses.replace(APPLE, id=f"d{n}", label=f"cik:{n % 7}", fiscal_year=2010 + n % 9)
        for n in range(60)
    ]
    requests = [plant(question(truth.id), truth) for truth in truths]
    spec = "malformed=0.2,refusals=0.2,slips=0.3,lucky=0.3"
    first = {r.id: (r.text, r.outcome) for r in told(spec, *requests)}
    backwards = told(spec, *reversed(requests), store=tmp_path / "other.sqlite", concurrency=1)
    alone = told(spec, requests[17], store=tmp_path / "third.sqlite")
    assert not any(response.reused for response in (*backwards, *alone))
    assert {r.id: (r.text, r.outcome) for r in backwards} == first
    assert [(r.text, r.outcome) for r in alone] == [first["d17"]]
    assert len({text for text, _ in first.values()}) > 20


def test_the_prior_is_one_fixed_guess_before_the_cutoff():
    bare = Request("prior", (("user", load("identification").fill("")),))
    (first,), (again,) = told("seed=4,cutoff=2015-06", bare), told("seed=4,cutoff=2015-06,firms=0.1", bare)
    assert first.text == again.text
    assert 2005 <= int(first.text[-4:]) < 2015
    # A document that happens to be called "prior" has no bearing on it.
    (planted,) = told("seed=4,cutoff=2015-06", plant(bare, dataclasses.replace(APPLE, id="prior")))
    assert planted.text == first.text
    dated = Request("prior", (("user", load("identification_headline").fill("")),))
    assert "Date Estimate: " in told("seed=4", dated)[0].text


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (question(), "answers only what a suite planted"),
        (question(text="Hello, who are you?"), "answers only what a suite planted"),
        (plant(question(text="Hello, who are you?"), APPLE), "has none of them"),
        (plant(question(text=load("anonymization").fill("Apple sold phones.")), APPLE), "--masker"),
        (Request("q", (("user", TEXT),), {"planted": {"id": "q", "shoe_size": 43}}), "no field 'shoe_size'"),
        (Request("q", (("user", TEXT),), {"planted": {"id": "q", "fiscal_year": "2021"}}), "no whole number"),
        (Request("q", (("user", TEXT),), {"planted": {"id": "q", "ticker": 7}}), "is no text"),
        (Request("q", (("user", TEXT),), {"planted": ["q"]}), "not an object with an id"),
        (Request("q", (("user", TEXT),), {"planted": {"id": "q", "date": "yesterday"}}), "cannot be read"),
    ],
)
def test_what_it_cannot_answer_fails_with_what_to_do(request_, says):
    (response,) = told("all-knowing", request_)
    assert response.outcome is Outcome.FAILED
    assert says in response.reason


def test_the_planted_truth_survives_its_way_through_json():
    full = Planted(
        "d", "headline", "BRK.B", "Berkshire", "cik:0001067983", "Financials", "Large",
        2021, 4, 2021, 4, 2022, 1, date(2022, 2, 26), 1.5, "percent", 2.5, "latest",
    )  # fmt: skip
    from neuter.models.simulated.planted import planted_in

    sent = json.loads(json.dumps(dict(plant(question(), full).parameters)))
    assert planted_in(sent) == full
    assert all(getattr(full, field.name) is not None for field in dataclasses.fields(Planted))


def test_a_value_that_is_no_number_cannot_be_planted():
    with pytest.raises(UsageError, match="cannot be planted"):
        Planted("d", value=float("nan"))


def test_a_delay_is_waited_for():
    before = time.monotonic()
    (response,) = told("all-knowing,delay=0.05", plant(question(), APPLE))
    assert response.outcome is Outcome.ANSWERED
    assert time.monotonic() - before >= 0.05
