"""The answer to the headline prompt, in the forms that models give it; calls are read as before."""

from datetime import date

import pytest

from neuter.models import parse_identification
from neuter.types import Outcome

FULL = ("TSLA", "Automobiles", date(2023, 3, 14))


@pytest.mark.parametrize(
    "text",
    [
        "Company Estimate: TSLA, Industry Estimate: Automobiles, Date Estimate: 03/14/2023",
        "**Company Estimate:** TSLA, **Industry Estimate:** Automobiles, **Date Estimate:** March 14, 2023",
        "Company Estimate: TSLA\nIndustry Estimate: Automobiles\nDate Estimate: 2023-03-14",
        '{"company": "TSLA", "industry": "Automobiles", "date": "03/14/2023"}',
        '{"company_estimate": "TSLA", "industry_estimate": "Automobiles", "date_estimate": "2023-03-14T00:00:00"}',
        "Company: TSLA\nIndustry: Automobiles\nDate: 14 March 2023",
        "TSLA, Automobiles, 03/14/2023",
        "<think>Date Estimate: 01/01/2001</think>Company Estimate: TSLA, Industry Estimate: Automobiles, "
        "Date Estimate: 03/14/2023",
        "Company Estimate: TIK, Industry Estimate: Industry Name, Date Estimate: mm/dd/yyyy\n\n"
        "Company Estimate: TSLA, Industry Estimate: Automobiles, Date Estimate: 03/14/2023",
        "Estimated company: TSLA\nEstimated industry: Automobiles\nEstimated date: 3/14/23",
    ],
)
def test_every_form_gives_the_same_day(text):
    found = parse_identification(text)
    assert (found.firm, found.industry, found.date) == FULL
    assert found.outcome is Outcome.ANSWERED
    assert (found.quarter, found.year) == (None, None)


def test_a_date_alone_is_an_answer():
    found = parse_identification("Company Estimate: unknown, Date Estimate: 03/14/2023")
    assert (found.outcome, found.firm, found.date) == (Outcome.ANSWERED, None, date(2023, 3, 14))


def test_a_month_without_a_day_leaves_the_year():
    found = parse_identification("Company Estimate: TSLA, Date Estimate: March 2023")
    assert (found.date, found.year) == (None, 2023)


def test_the_prompts_own_template_is_no_answer():
    text = "Company Estimate: TIK, Industry Estimate: Industry Name, Date Estimate: mm/dd/yyyy"
    assert parse_identification(text).outcome is Outcome.UNPARSED


def test_an_update_is_no_date_and_a_call_has_none():
    found = parse_identification(
        '{"company": "TSLA", "quarter": "Q1", "year": 2023, "updated": "03/14/2023", "last_update": "01/01/2020"}'
    )
    assert (found.quarter, found.year, found.date) == (1, 2023, None)
