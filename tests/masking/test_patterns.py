"""What the patterns find, form by form; the expected spans were written down by hand."""

from __future__ import annotations

import pytest

from neuter.masking import patterns, spans


def found(text: str) -> dict[str, str]:
    return {text[s.start : s.end]: s.kind for s in spans.merge(patterns.find(text))}


@pytest.mark.parametrize(
    "form",
    [
        "SYMBOL:TIK",
        ">TIK",
        "$TIK",
        "$ TIK",
        "SYMBOL TIK",
        "SYMBOL: TIK",
        "$> TIK",
        "NYSE: TIK",
        "(NASDAQ:TIK)",
    ],
)
def test_tickers_in_the_forms_of_the_papers_prompt(form: str):
    masked = spans.apply(form, spans.replace(form, spans.merge(patterns.find(form))))
    assert "TIK" not in masked
    assert "ticker_x" in masked


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("We earned $1.2 billion in all.", "$1.2 billion"),
        ("Margins rose 250 basis points.", "250 basis points"),
        ("It fell 3.5% there.", "3.5%"),
        ("It cost €300 million.", "€300 million"),
        ("RMB 339.9 million came in.", "RMB 339.9 million"),
        ("about two hundred and five thousand units", "about two hundred and five thousand"),
        ("a fleet of 847 megawatts", "847 megawatts"),
        ("it was five to six percent", "five to six percent"),
        ("between $10 and $12 a share", "$12"),
        ("over $40M in cash", "over $40M"),
        ("three quarters of our customers", "three quarters"),
        ("a quarter of our customers", "a quarter"),
        ("the ratio was 12-18 then", "12-18"),
        ("call 1-800-555-1234 now", "1-800-555-1234"),
        ("the 10th store", "10th"),
        ("our second store", "second"),
        ("sales of -5.25 percent", "-5.25 percent"),
        ("1,234,567 shares", "1,234,567"),
        ("twenty-one million people", "twenty-one million"),
        ("high single digits", "high single digits"),
    ],
)
def test_numbers_with_their_units_in_digits_and_in_words(text: str, amount: str):
    assert found(text)[amount] == "number"


@pytest.mark.parametrize(
    ("text", "period", "kind"),
    [
        ("in the first quarter of fiscal 2022 we", "the first quarter of fiscal 2022", "quarter"),
        ("second-quarter results", "second-quarter", "quarter"),
        ("in Q3'21 we", "Q3'21", "quarter"),
        ("in 3Q 2021 we", "3Q 2021", "quarter"),
        ("in 1H22 we", "1H22", "quarter"),
        ("for FY'21 we", "FY'21", "year"),
        ("for fiscal twenty-one we", "fiscal twenty-one", "year"),
        ("back in 2019, we", "2019", "year"),
        ("on March 3rd, 2021 we", "March 3rd, 2021", "date"),
        ("on 3 March 2021 we", "3 March 2021", "date"),
        ("on 2021-03-03 we", "2021-03-03", "date"),
        ("since June we", "June", "date"),
        ("the past several quarters were", "the past several quarters", "time"),
        ("on Tuesday we", "Tuesday", "time"),
        ("it grew year-over-year here", "year-over-year", "time"),
        ("at 5:00 p.m. we", "5:00 p.m.", "time"),
    ],
)
def test_dates_quarters_and_years(text: str, period: str, kind: str):
    assert found(text)[period] == kind


@pytest.mark.parametrize(
    "text", ["We may march on.", "It may well be so.", "They march in step.", "quartermaster"]
)
def test_words_that_only_look_like_times_are_left(text: str):
    assert found(text) == {}


@pytest.mark.parametrize(
    "link", ["https://www.example.com/a?b=1", "investors.example.com", "ir@example.com", "example dot com"]
)
def test_links_and_addresses(link: str):
    assert found(f"See {link} for more.")[link] == "link"


def test_covid_places_a_text_in_time_and_is_masked():
    assert found("despite COVID-19 we grew")["COVID-19"] == "event"


def test_half_a_megabyte_of_digits_takes_no_more_than_linear_time():
    import time

    def seconds(n: int) -> float:
        text = "1,234 and 5 million dollars to 6 " * n
        began = time.perf_counter()
        patterns.find(text)
        return time.perf_counter() - began

    seconds(100)
    short, long = seconds(1_000), seconds(8_000)
    assert long < 40 * short
