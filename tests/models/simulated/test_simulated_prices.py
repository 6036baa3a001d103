"""A respondent that knows another reading of the data, or errs otherwise after its cutoff."""

from datetime import date

import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.models.simulated import Planted, Respondent, respondent_of
from neuter.models.simulated.expected_recall import expected_recall
from neuter.models.simulated.knowledge import believed_value, noise_of, said_value
from neuter.scoring.recall.schema import QUESTIONS_SCHEMA

APPLE = Planted("q", date=date(2008, 12, 31), value=85.35, other=3.05, other_reading="split_adjusted")


def test_a_model_that_knows_split_adjusted_prices_says_them():
    knows = Respondent(values=1, prices="split_adjusted")
    assert said_value(knows, APPLE) == 3.05
    assert said_value(Respondent(values=1), APPLE) == 85.35


def test_where_the_adjusted_price_is_right_the_traded_one_is_the_other():
    asked = Planted("q", value=3.05, other=85.35, other_reading="traded")
    assert believed_value(Respondent(), asked) == 85.35
    assert believed_value(Respondent(prices="split_adjusted"), asked) == 3.05


def test_prices_say_nothing_of_vintages():
    print_ = Planted("q", value=-3.8, other=-8.5, other_reading="latest")
    assert believed_value(Respondent(prices="split_adjusted"), print_) == -3.8
    assert believed_value(Respondent(vintage="latest"), print_) == -8.5


def test_noise_from_the_cutoff_on_may_be_another():
    model = Respondent(value_noise=0.1, late_noise=0.4, cutoff=date(2023, 10, 1))
    assert noise_of(model, Planted("q", date=date(2023, 9, 30), value=1.0)) == 0.1
    assert noise_of(model, Planted("q", date=date(2023, 10, 1), value=1.0)) == 0.4


@pytest.mark.parametrize("spec", ["prices=adjusted", "vintage=second", "late_noise=0"])
def test_settings_that_do_not_fit_are_refused(spec):
    with pytest.raises(UsageError, match=spec.partition("=")[0]):
        respondent_of(f"simulated/{spec}")


def question(**known):
    return {**dict.fromkeys(QUESTIONS_SCHEMA), "panel": "p", "series": "s", "condition": "none", **known}


def figures(respondent, *rows):
    frame = pl.DataFrame(rows, schema=QUESTIONS_SCHEMA, orient="row")
    found = expected_recall(respondent, frame)
    return {(row["split"], row["metric"]): row["value"] for row in found.iter_rows(named=True)}


def test_expected_errors_by_hand():
    """Half known, the rest with a standard deviation of 10: E|error| = 0.5 * 10 * sqrt(2/pi) = 3.98942."""
    asked = question(
        task="level", date=date(2020, 1, 1), truth=100.0, digits=0, threshold=90.0, previous=100.0
    )
    found = figures(Respondent(values=0.5, value_noise=0.1), asked)
    assert found["all", "mean_absolute_percent_error"] == pytest.approx(3.98942, abs=1e-4)
    assert found["all", "mean_percent_error"] == 0
    # Within half a unit of a standard deviation of 10: 0.5 + 0.5 * 0.03988.
    assert found["all", "exact_share"] == pytest.approx(51.994, abs=1e-3)
    # Above 90: known, or above minus one standard deviation (0.84134).
    assert found["all", "directional_accuracy"] == pytest.approx(92.067, abs=1e-3)


def test_expected_figures_after_the_cutoff_know_nothing():
    model = Respondent(values=1, value_noise=0.1, late_noise=0.2, cutoff=date(2020, 2, 1))
    rows = [question(task="level", date=date(2020, month, 1), truth=50.0) for month in (1, 2)]
    found = figures(model, *rows)
    assert found["pre", "mean_absolute_percent_error"] == 0
    assert found["post", "mean_absolute_percent_error"] == pytest.approx(15.9577, abs=1e-4)
    assert found["all", "effective_cutoff"] == pytest.approx(2020 + 1 / 12)


def test_expected_errors_of_a_model_that_knows_the_other_price():
    asked = question(
        task="level", date=date(2020, 1, 1), truth=100.0, other=25.0, other_reading="split_adjusted"
    )
    found = figures(Respondent(values=1, prices="split_adjusted"), asked)
    assert found["all", "mean_percent_error"] == -75
    assert found["all", "mean_absolute_percent_error"] == 75


def test_expected_accuracy_of_words_is_what_is_known_and_half_of_the_rest():
    asked = question(task="direction", date=date(2020, 1, 1), truth_word="up")
    found = figures(Respondent(values=0.6, refusals=0.1), asked)
    assert found["all", "accuracy"] == pytest.approx(80)
    assert found["all", "refusal_share"] == pytest.approx(10)


def test_rates_err_in_points():
    asked = question(task="rate", date=date(2020, 1, 1), truth=4.0)
    found = figures(Respondent(values=0, value_noise=0.1), asked)
    assert found["all", "mean_absolute_error"] == pytest.approx(0.4 * 0.797885, abs=1e-6)


def test_expected_dates_of_headlines():
    """0.4 of the dates and half of the other years are known: 0.4, and 0.4 + 0.6 * 0.5."""
    asked = question(task="date", date=date(2020, 3, 4), truth_date=date(2020, 3, 4))
    found = figures(Respondent(dates=0.4, years=0.5), asked)
    assert found["all", "exact_date_accuracy"] == pytest.approx(40)
    assert found["all", "year_accuracy"] == pytest.approx(70)
    assert 40 < found["all", "month_year_accuracy"] < 50
    assert not any("years" in metric for _, metric in found)
