"""What a respondent is expected to score is what it scores, and draws are alike where they should be."""

from collections import defaultdict
from dataclasses import replace
from datetime import date

import pytest

from neuter.models.answers import parse_identification
from neuter.models.simulated.answers import answer
from neuter.models.simulated.asked_for import AskedFor
from neuter.models.simulated.expected import answered_share
from neuter.models.simulated.knowledge import (
    knows_firm,
    knows_year,
    off_chances,
    said_date,
    said_value,
    uniform,
    years_off,
)
from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import Respondent, respondent_of

# Apple's call of January 2022: fiscal Q1 2022, calendar 2021 Q4, held in 2022 Q1. The second is of December 2021,
# where all readings but the call's agree; the third is a year that begins in March.
CALLS = [
    Planted("a", "transcript", "AAPL", None, "cik:0000320193", None, "Large", 2022, 1, 2021, 4, 2022, 1, date(2022, 1, 27)),
    Planted("b", "transcript", "IBM", None, "cik:0000051143", None, "Mid", 2021, 4, 2021, 4, 2022, 1, date(2022, 1, 24)),
    Planted("c", "transcript", "DE", None, "cik:0000315189", None, "Small", 2020, 2, 2020, 2, 2020, 2, date(2020, 5, 22)),
    Planted("d", "transcript", None, "Nobody Inc", "name:nobody", None, None, 2019, None, None, None, 2020, 1, date(2020, 1, 30)),
]  # fmt: skip
HEADLINES = [
    Planted("h", "headline", "AAPL", None, "cik:0000320193", None, "Large", call_year=2024, call_quarter=1, date=date(2024, 2, 29)),
    Planted("i", "headline", "IBM", None, "cik:0000051143", None, "Small", call_year=2023, call_quarter=4, date=date(2023, 12, 31)),
]  # fmt: skip
SEEDS = 1500
SPECS = [
    "well-read,cutoff=none,slips=0.1,lucky=0.05,refusals=0.1,malformed=0.3,truncated=0.1",
    "well-read,firms=0.3,cutoff=2022-01-25,years=0.6,correlation=0",
    "firms=0.4,years=0.7,quarters=0.6,reading=calendar,noise=1,early=0.8",
    "firms=0.9,years=0.3,quarters=0.2,reading=call,noise=4.5,correlation=1",
]


def metrics(planted, parsed):
    """Every score of one answer, as the scorer's definitions have them."""
    found = {"firm_accuracy": float(parsed.firm == (planted.ticker or planted.firm))}
    if planted.kind == "headline":
        days, years = (parsed.date - planted.date).days, parsed.date.year - planted.date.year
        month = (parsed.date.year, parsed.date.month) == (planted.date.year, planted.date.month)
        return found | {
            "year_accuracy": float(not years), "month_year_accuracy": float(month), "exact_date_accuracy": float(not days),
            "mean_days_difference": days, "mean_absolute_days_difference": abs(days),
            "mean_years_difference": years, "mean_absolute_years_difference": abs(years),
        }  # fmt: skip
    for prefix, year, quarter in (
        ("", planted.fiscal_year, planted.fiscal_quarter),
        ("calendar_", planted.calendar_year, planted.calendar_quarter),
        ("call_", planted.call_year, planted.call_quarter),
    ):
        if year is None:
            continue
        off = parsed.year - year
        found |= {
            f"{prefix}year_accuracy": float(not off), f"{prefix}mean_years_difference": off,
            f"{prefix}mean_absolute_years_difference": abs(off),
        }  # fmt: skip
        if quarter is not None:
            apart = off * 4 + parsed.quarter - quarter
            found[f"{prefix}quarter_year_accuracy"] = float(apart == 0)
            found[f"{prefix}quarter_within_one"] = float(abs(apart) <= 1)
    return found


def simulated(spec, documents):
    """Scores of every answer that can be read, by metric and document, over the seeds."""
    scores, respondent = defaultdict(list), respondent_of(f"simulated/{spec}")
    for seed in range(SEEDS):
        seeded = replace(respondent, seed=seed)
        for planted in documents:
            written = answer(seeded, planted, AskedFor("line", dated=planted.kind == "headline"))
            parsed = parse_identification(written.content or "")
            if written.finish == "stop" and parsed.outcome == "answered":
                for metric, value in metrics(planted, parsed).items():
                    scores[metric, planted.id].append(value)
    return scores


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("documents", [CALLS, HEADLINES], ids=["calls", "headlines"])
def test_answers_score_what_is_expected(spec, documents):
    respondent = respondent_of(f"simulated/{spec}")
    scores = simulated(spec, documents)
    expected = {
        (m, id_): v for m, by_id in respondent.expected(documents).items() for id_, v in by_id.items()
    }
    assert set(expected) == set(scores)
    for key, value in expected.items():
        n, mean = len(scores[key]), sum(scores[key]) / len(scores[key])
        variance = sum((score - mean) ** 2 for score in scores[key]) / n
        # At most some 130 comparisons in all: 4.5 standard errors are passed by luck once in 1,000 such tests.
        assert mean == pytest.approx(value, abs=4.5 * (max(variance, 1 / n) / n) ** 0.5), key
        assert n / SEEDS == pytest.approx(answered_share(respondent), abs=0.06)


def test_expected_figures_worked_by_hand():
    # Known 0.5; Large 0.8. Slips 0.1, luck 0.2: 0.8 * 0.9 + 0.2 * 0.2 = 0.76, and 0.5 * 0.9 + 0.5 * 0.2 = 0.55.
    # Years 0.6, quarters 0.5: 0.3. A wrong year is 1 off (noise 1), early with 0.75:
    # mean 0.4 * (0.25 - 0.75) = -0.2, absolute 0.4.
    respondent = Respondent(
        firms=0.5, large=0.8, slips=0.1, lucky=0.2, years=0.6, quarters=0.5, noise=1.0, early=0.75
    )
    expected = respondent.expected(CALLS)
    assert expected["firm_accuracy"] == pytest.approx({"a": 0.76, "b": 0.55, "c": 0.55, "d": 0.55})
    assert expected["year_accuracy"]["b"] == pytest.approx(0.6)
    assert expected["quarter_year_accuracy"] == pytest.approx({"a": 0.3, "b": 0.3, "c": 0.3})
    assert expected["mean_years_difference"]["b"] == pytest.approx(-0.2)
    assert expected["mean_absolute_years_difference"]["b"] == pytest.approx(0.4)
    # Within one of Q4: Q4, the Q3 of that year (0.6 * 0.5 / 3), and Q1 of the next (0.4 * 0.25 / 4).
    assert expected["quarter_within_one"]["b"] == pytest.approx(0.3 + 0.1 + 0.025)
    # Apple's calendar quarter is 2021 Q4, one year early of the fiscal 2022 that it believes in: 0.4 * 0.75, and Q4
    # is one in four of those. Its call was in 2022 Q1, which is the fiscal quarter's name by chance.
    assert expected["calendar_year_accuracy"]["a"] == pytest.approx(0.3)
    assert expected["calendar_quarter_year_accuracy"]["a"] == pytest.approx(0.075)
    assert expected["call_quarter_year_accuracy"]["a"] == pytest.approx(0.3)
    assert "d" not in expected["calendar_year_accuracy"]


def test_nothing_of_the_cutoff_or_later_is_known():
    respondent = replace(
        respondent_of("simulated/all-knowing"), cutoff=date(2022, 1, 27), lucky=1.0, early=0.0
    )
    expected = respondent.expected([*CALLS, *HEADLINES])
    assert expected["firm_accuracy"] == {"a": 0, "b": 1, "c": 1, "d": 1, "h": 0, "i": 0}
    assert expected["year_accuracy"]["a"] == expected["exact_date_accuracy"]["h"] == 0
    assert expected["mean_years_difference"]["a"] == pytest.approx(-2)


def test_a_headline_with_a_fiscal_year_is_not_expected_to_score_in_that():
    expected = Respondent().expected([replace(HEADLINES[0], fiscal_year=2023)])
    assert "year_accuracy" not in expected
    assert expected["exact_date_accuracy"] == {"h": 0.25}


def test_a_wrong_date_of_the_right_year_is_any_other_of_its_days():
    # 29 February 2024 is the 60th of 366 days: 28 of the 365 others are of its month.
    respondent = Respondent(dates=0.2, years=1.0)
    expected = respondent.expected(HEADLINES)
    assert expected["month_year_accuracy"]["h"] == pytest.approx(0.2 + 0.8 * 28 / 365)
    # Days before it: 1 to 59; after it: 1 to 306.
    assert expected["mean_days_difference"]["h"] == pytest.approx(0.8 * (306 * 307 - 59 * 60) / 2 / 365)
    assert expected["mean_absolute_days_difference"]["h"] == pytest.approx(
        0.8 * (306 * 307 + 59 * 60) / 2 / 365
    )


# Draws


def test_documents_of_a_firm_are_alike_in_the_firm_and_as_correlated_as_asked_in_the_year():
    first, second = CALLS[0], replace(CALLS[0], id="a2")
    respondents = [Respondent(firms=0.4, years=0.3, correlation=0.5, seed=seed) for seed in range(6000)]
    assert all(knows_firm(r, first) == knows_firm(r, second) for r in respondents[:500])
    pairs = [(knows_year(r, first), knows_year(r, second)) for r in respondents]
    share = sum(a + b for a, b in pairs) / 12000
    both = sum(a and b for a, b in pairs) / 6000
    assert share == pytest.approx(0.3, abs=0.02)
    assert (both - share**2) / (share * (1 - share)) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("correlation", [0.0, 1.0])
def test_years_of_a_firm_are_independent_or_the_same_at_the_ends(correlation):
    first, second = CALLS[0], replace(CALLS[0], id="a2")
    respondents = [Respondent(years=0.5, correlation=correlation, seed=seed) for seed in range(1000)]
    same = sum(knows_year(r, first) == knows_year(r, second) for r in respondents) / 1000
    assert same == (1.0 if correlation else pytest.approx(0.5, abs=0.07))


def test_one_who_knows_more_knows_all_that_one_who_knows_less_does():
    documents = [replace(CALLS[1], id=f"d{n}", label=f"cik:{n}") for n in range(300)]
    less, more = Respondent(firms=0.3), Respondent(firms=0.5)
    assert all(knows_firm(more, d) for d in documents if knows_firm(less, d))
    assert sum(knows_firm(more, d) for d in documents) > sum(knows_firm(less, d) for d in documents) > 50


def test_documents_without_a_firm_are_firms_of_their_own():
    nameless = [Planted(f"d{n}", ticker="X") for n in range(100)]
    assert 20 < sum(knows_firm(Respondent(), d) for d in nameless) < 80


@pytest.mark.parametrize("noise", [1.0, 2.0, 3.8, 21.0])
def test_wrong_years_are_off_by_the_noise_on_average(noise):
    chances = off_chances(noise)
    assert sum(chances) == pytest.approx(1)
    assert sum(off * chance for off, chance in enumerate(chances, 1)) == pytest.approx(noise)
    offs = [years_off(Respondent(noise=noise, seed=seed), CALLS[1]) for seed in range(500)]
    assert all(1 <= abs(off) <= 21 for off in offs)
    assert sum(map(abs, offs)) / 500 == pytest.approx(noise, abs=0.3)


def test_draws_are_uniform_and_stay_the_same_in_every_version():
    draws = [uniform(0, "x", str(n)) for n in range(4000)]
    assert sum(draws) / 4000 == pytest.approx(0.5, abs=0.02)
    assert max(draws) < 1
    # A changed value here is a changed model: stored answers and published calibrations would not hold.
    assert uniform(3, "firm", "cik:0000320193") == pytest.approx(0.7362889500568501)
    assert uniform(0, "a", "\ud800") != uniform(0, "a", "\ud801")


def test_a_date_that_is_not_known_is_never_the_right_one():
    respondents = [Respondent(dates=0.0, years=1.0, seed=seed) for seed in range(3000)]
    said = [said_date(r, HEADLINES[0]) for r in respondents]
    assert HEADLINES[0].date not in said
    assert {day.year for day in said} == {2024}


def test_a_number_that_is_not_known_is_never_the_right_one_however_small_the_noise(monkeypatch):
    asked = Planted("q", value=1.0)
    quiet = [Respondent(values=0.0, value_noise=1e-6, seed=seed) for seed in range(50)]
    assert all(said_value(r, asked) != 1.0 for r in quiet)
    # The smallest draw, which has no normal deviate of its own, is some eight standard deviations low.
    monkeypatch.setattr("neuter.models.simulated.knowledge.uniform", lambda *_: 0.0)
    assert said_value(Respondent(values=0.0, value_noise=0.1), asked) == pytest.approx(0.17, abs=0.02)
