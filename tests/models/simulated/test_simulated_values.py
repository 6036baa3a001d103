"""Values of a simulated model at the edges: zeros, ties, and what is planted."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from neuter.errors import UsageError
from neuter.models.simulated import Planted, Respondent, respondent_of
from neuter.models.simulated.expected_recall import expected_recall
from neuter.models.simulated.knowledge import said_choice, said_value
from neuter.models.simulated.planted import planted_in
from neuter.scoring.recall.schema import QUESTIONS_SCHEMA


def question(**known):
    return {**dict.fromkeys(QUESTIONS_SCHEMA), "panel": "p", "series": "s", "condition": "none", **known}


def figures(respondent, *rows):
    found = expected_recall(respondent, pl.DataFrame(rows, schema=QUESTIONS_SCHEMA, orient="row"))
    return {(row["split"], row["metric"]): row["value"] for row in found.iter_rows(named=True)}


def test_a_zero_that_is_not_known_is_missed_by_the_noise_itself():
    """August 2011's payrolls: a share of 0 would be no noise."""
    said = [
        said_value(Respondent(values=0, value_noise=0.5, seed=n), Planted("q", value=0.0)) for n in range(400)
    ]
    assert 0.0 not in said
    assert np.std(said) == pytest.approx(0.5, rel=0.15)
    asked = question(task="rate", date=date(2020, 1, 1), truth=0.0)
    found = figures(Respondent(values=0, value_noise=0.5), asked)
    assert found["all", "mean_absolute_error"] == pytest.approx(0.5 * 0.797885, abs=1e-6)


def test_a_value_that_is_not_known_is_never_said_exactly():
    """Noise below the four decimals that are said."""
    model = Respondent(values=0, value_noise=1e-6)
    assert all(said_value(model, Planted(f"q{n}", value=0.25)) != 0.25 for n in range(50))


def test_words_that_are_not_known_are_tossed_for():
    model = Respondent(values=0)
    said = [said_choice(model, Planted(f"q{n}", value="up"), ("up", "down")) for n in range(400)]
    assert said.count("up") == pytest.approx(200, abs=50)


def test_a_tie_with_the_previous_value_is_right_where_it_is_known():
    asked = question(task="level", date=date(2020, 1, 1), truth=100.0, previous=100.0)
    found = figures(Respondent(values=0.5, value_noise=0.1), asked)
    assert found["all", "directional_accuracy_change"] == pytest.approx(50)


def test_what_the_other_vintage_errs_by():
    asked = question(task="rate", date=date(2020, 1, 1), truth=2.0, other=3.0, other_reading="latest")
    assert figures(Respondent(values=1, vintage="latest"), asked)["all", "mean_error"] == 1.0


def test_a_date_on_the_cutoff_is_after_it_and_within_one_percent_is_one():
    model = Respondent(values=1, value_noise=0.01, cutoff=date(2020, 2, 1))
    rows = [question(task="level", date=date(2020, month, 1), truth=50.0) for month in (1, 2)]
    found = figures(model, *rows)
    assert found["pre", "within_1_percent"] == 100
    # Within one standard deviation.
    assert found["post", "within_1_percent"] == pytest.approx(68.2689, abs=1e-3)


def test_settings_can_be_unset():
    assert respondent_of("simulated/late_noise=none,vintage=none") == Respondent()


@pytest.mark.parametrize("other", [True, "3.05", [3.05]])
def test_another_value_that_is_no_number_is_refused(other):
    with pytest.raises(UsageError, match="no number"):
        planted_in({"planted": {"id": "q", "value": 1.0, "other": other}})


def test_an_endless_other_value_is_refused_and_a_zero_is_planted():
    with pytest.raises(UsageError, match="cannot be planted"):
        Planted("q", value=1.0, other=float("inf"))
    assert Planted("q", value=0.0, other=0.0).to_json() == {
        "id": "q",
        "kind": "transcript",
        "value": 0.0,
        "other": 0.0,
    }
