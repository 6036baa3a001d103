"""What the patterns find, form by form; the expected spans were written down by hand."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from neuter.masking import capitals, own_firm, patterns, spans


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


def test_addresses_that_stand_together_are_masked_to_the_last_letter():
    assert list(found("a@b.com+c@d.com")) == ["a@b.com+c@d.com"]


@pytest.mark.parametrize("before", ["-", "...", "café.", "a_b."])
def test_a_server_after_marks_and_foreign_letters_is_a_link(before: str):
    assert found(f"{before}example.com").get("example.com") == "link"


def test_a_server_of_many_names_is_one_link():
    server = ".".join("abcdefghijkl") + ".example.com"
    assert found(f"at {server} today")[server] == "link"


def test_a_name_of_sixty_three_letters_is_a_link():
    assert found(f"at {'a' * 63}.com today")[f"{'a' * 63}.com"] == "link"


@pytest.mark.parametrize("word", ["B2B", "x-5", "F-150", "7Eleven", "a" * 200 + "1", "1" + "-b" * 200])
def test_letters_and_digits_in_one_word_are_masked_whole_however_long(word: str):
    assert word in found(f"the {word} sold")


@pytest.mark.parametrize("word", ["well-known", "12-18-24", "under_score"])
def test_letters_or_digits_alone_are_no_product(word: str):
    assert "product" not in found(word).values()


def test_words_that_hyphens_in_a_row_part_are_masked_apart():
    text = "B2B--C3C then"
    assert [text[s.start : s.end] for s in patterns.find(text) if s.kind == "product"] == ["B2B", "C3C"]


@pytest.mark.parametrize("word", ["iPhone", "AirTag", "YouTube", "eBay", "x_2Go"])
def test_a_sentence_opens_with_a_word_whose_capital_inside_makes_it_a_name(word: str):
    assert [s.kind for s in capitals.unexplained(f"{word} sold well.")] == ["product"]


@pytest.mark.parametrize("word", ["Demand", "demand", "a-B"])
def test_a_word_without_a_capital_after_a_small_letter_is_no_such_name(word: str):
    assert capitals.unexplained(f"{word} sold well.") == []


def seconds(work: Callable[[str], object], text: str) -> float:
    """This thread's own time on the processor: while others have it, the clock stands still."""
    began = time.thread_time()
    work(text)
    return time.thread_time() - began


def grows_in_proportion(
    work: Callable[[str], object], unit: str, size: int = 500, clock: Callable[..., float] = seconds
) -> bool:
    """True where 8 times the text takes about 8 times as long; 64 times would be quadratic.

    The longer text is tried until one of eight rounds is fast enough: a busy machine slows some, hardly all. The
    shorter one counts by its fastest of the first three, so that a slow start makes no room for more.
    """
    short, long = unit * (size // len(unit)), unit * (8 * size // len(unit))
    least = min(clock(work, short) for _ in range(3))
    return any(clock(work, long) < 24 * least + 0.02 for _ in range(8))


@pytest.mark.parametrize(
    ("short", "long", "linear"),
    [
        ([1, 2, 1], [8], True),
        ([1, 9, 1], [64] * 8, False),  # quadratic
        ([1, 2, 1], [64] * 7 + [20], True),  # seven rounds on a busy machine
    ],
)
def test_one_round_in_peace_shows_that_time_is_linear(short: list[float], long: list[float], linear: bool):
    times = iter([*short, *long])
    assert grows_in_proportion(len, "a", clock=lambda _work, _text: next(times)) is linear


@pytest.mark.parametrize(
    "unit",
    [
        *("about ", "one ", "the ", "couple of ", "the first ", "twenty-one-", "one and ", "half a quarter "),
        *("a", "1", "-", "a-", "1-", "a--", "a.", "1.", "www.", "a dot ", "a@b.", "aB3", "1,234 and 5 to 6 "),
    ],
)
def test_no_text_takes_more_than_linear_time(unit: str):
    assert grows_in_proportion(patterns.find, unit, 1_000)


def test_a_word_without_end_takes_linear_time_to_look_for_capitals_in():
    assert grows_in_proportion(capitals.unexplained, "a", 4_000)


def test_brackets_without_end_in_a_name_take_linear_time():
    assert grows_in_proportion(own_firm.short_forms, "(", 2_000)
