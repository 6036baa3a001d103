"""Cutoffs: the boundary, what is unknown, and where the recent part begins."""

from datetime import date

import pytest

from neuter.errors import UsageError
from neuter.suites.cutoffs import cutoffs_of
from neuter.suites.days import read_day, years_before


def test_a_month_is_its_first_day():
    assert read_day("2023-10", "--cutoff") == date(2023, 10, 1)
    assert read_day(" 2023-10-15 ", "--cutoff") == date(2023, 10, 15)


@pytest.mark.parametrize("text", ["", "2023", "October 2023", "2023-13", "2023-10-32", "10/2023"])
def test_what_is_no_cutoff_is_refused(text):
    with pytest.raises(UsageError, match=r"--cutoff: .* is no day"):
        read_day(text, "--cutoff")


def test_the_catalog_knows_the_papers_model():
    """Section 2.3: training data of gpt-4o-2024-08-06 end in October 2023."""
    assert cutoffs_of(["openai/gpt-4o-2024-08-06"]) == {"openai/gpt-4o-2024-08-06": date(2023, 10, 1)}


def test_a_cutoff_that_nobody_knows_is_asked_for():
    with pytest.raises(UsageError, match=r"nobody knows the training cutoff of local/smollm2-135m.*--cutoff"):
        cutoffs_of(["local/smollm2-135m"])


def test_the_cutoff_given_goes_before_the_catalogs():
    assert cutoffs_of(["openai/gpt-4o-2024-08-06"], "2020-01")["openai/gpt-4o-2024-08-06"] == date(2020, 1, 1)


def test_a_cutoff_may_stand_in_the_users_configuration(tmp_path):
    config = tmp_path / "neuter.toml"
    config.write_text('[models."local/smollm2-135m"]\ncutoff = "2024-03"\n')
    assert cutoffs_of(["local/smollm2-135m"], None, config) == {"local/smollm2-135m": date(2024, 3, 1)}


def test_ten_years_before():
    assert years_before(date(2023, 10, 1), 9) == date(2014, 10, 1)
