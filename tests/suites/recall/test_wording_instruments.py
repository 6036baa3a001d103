"""The instruments are appendix B's, word for word; ours say that they are ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neuter.errors import UsageError
from neuter.prompts.recall import instrument, instrument_names

#: Instrument: the heading that stands above it in the paper, and its section's.
HEADINGS = {
    "index_history": ("B.1 Indices", "Context"),
    "index_level": ("B.1 Indices", "Prompt: Daily Value Estimation"),
    "index_direction": ("B.1 Indices", "Prompt: Monthly Directional Prediction"),
    "index_return": ("B.1 Indices", "Prompt: Monthly Percentage Change"),
    "index_pair": ("B.1 Indices", "Prompt: Relative Performance Comparison"),
    "headline_date": ("B.2 Headlines", "Prompt Type: Date Inference"),
    "headline_level": ("B.2 Headlines", "Prompt Type: Market Level Prediction"),
    "macro_monthly_rate": ("B.3 Macro", "Prompt: Monthly Rate"),
    "macro_monthly_level": ("B.3 Macro", "Prompt: Monthly Level"),
    "macro_quarterly_rate": ("B.3 Macro", "Prompt: Quarterly Rate"),
    "macro_end_of_month_level": ("B.3 Macro", "Prompt: End-of-Month Level"),
    "stock_history": ("B.4 Individual Stocks", "Context"),
    "stock_close": ("B.4 Individual Stocks", "Prompt: End-of-Month Closing Price"),
}
#: Begins what stands behind an instrument.
NEXT = re.compile(r"^(?:Prompt(?: Type)?: |B\.[2-6] |\(If only)", re.MULTILINE)


@pytest.fixture(scope="module")
def paper(shared_data: Path) -> str:
    file = shared_data.parent / "seeds" / "the-memorization-problem.txt"
    if not file.is_file():
        pytest.skip("the paper is not here")
    return file.read_text(encoding="utf-8").split("Appendix B Appendix: Prompts", 1)[1]


def lines(text: str) -> list[str]:
    """A field, sentence or bullet a line; the paper's blank lines between bullets are its typesetting."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def printed(paper: str, section: str, heading: str) -> list[str]:
    text = paper.split(f"\n{section}\n", 1)[1].split(f"\n{heading}\n", 1)[1]
    return lines(NEXT.split(text, maxsplit=1)[0])


@pytest.mark.parametrize("name", HEADINGS)
def test_each_instrument_is_the_papers_word_for_word(name: str, paper: str):
    section, heading = HEADINGS[name]
    assert lines(instrument(name).template) == printed(paper, section, heading)
    assert instrument(name).section == f"Appendix {section[:3]}"
    assert heading.endswith(instrument(name).title)
    assert not instrument(name).ours


def test_the_context_of_headlines_is_the_papers(paper: str):
    assert instrument("headline_context").template in paper


def test_the_context_of_one_close_is_the_papers(paper: str):
    (bracketed,) = re.findall(r"\(If only one previous closing price exists: (.*?)\)\n", paper, re.DOTALL)
    assert instrument("stock_history_one").template == " ".join(bracketed.split())


def test_every_instrument_but_ours_is_compared_with_the_paper():
    papers = {name for name in instrument_names() if not instrument(name).ours}
    # Those of appendix B.5 are parts of messages, which test_cutoff_suite.py compares whole.
    parts = {"cutoff_system", "cutoff_system_none", "cutoff_user"}
    assert papers == {*HEADINGS, "headline_context", "stock_history_one", *parts}


def test_ours_are_these():
    assert [name for name in instrument_names() if instrument(name).ours] == [
        "index_direction_daily",
        "index_history_one",
        "index_pair_monthly",
        "macro_history",
        "macro_history_end_of_month",
        "macro_history_end_of_month_one",
        "macro_history_one",
        "news_context",
        "stock_direction",
        "stock_direction_daily",
    ]


@pytest.mark.parametrize("name", instrument_names())
def test_an_instrument_has_the_slots_that_it_says_and_no_other_braces(name: str):
    one = instrument(name)
    assert set(re.findall(r"\{([^{}]*)\}", one.template)) == set(one.slots)
    assert one.paper.startswith(("The Memorization Problem", "none: ours"))


def test_bullets_stand_on_lines_of_their_own():
    """A simulated model, and the reader of answers, know the fields by them."""
    assert "\n• answer: " in instrument("index_level").template
    assert "\n• confidence: " in instrument("index_level").template


def test_what_is_filled_in_is_never_filled_again():
    prompt = instrument("index_level").fill(
        context="{date} {data_name} {{x}} \\1", data_name="VIX", date="{context}"
    )
    assert prompt.startswith(
        "{date} {data_name} {{x}} \\1\n\nWhat was the VIX closing value on {context}? Provide"
    )


def test_an_empty_context_leaves_no_blank_lines():
    prompt = instrument("index_level").fill(context="", data_name="S&P 500", date="March 15, 2019")
    assert prompt.startswith(
        "What was the S&P 500 closing value on March 15, 2019? Provide your best estimate.\n\n"
    )


def test_a_slot_that_comes_twice_is_filled_twice():
    prompt = instrument("index_pair").fill(context="", year="2008", data_name="A", data_name2="B")
    assert prompt.count("either A or B") == 2
    assert "Which performed better in 2008: A or B?" in prompt


@pytest.mark.parametrize("slots", [{}, {"context": "", "data_name": "VIX", "date": "today", "year": "2019"}])
def test_slots_that_do_not_fit_are_refused(slots: dict[str, str]):
    with pytest.raises(UsageError, match="index_level"):
        instrument("index_level").fill(**slots)


@pytest.mark.parametrize("name", ["nothing", "../identification", ""])
def test_an_unknown_instrument_is_refused(name: str):
    with pytest.raises(UsageError, match="no prompt"):
        instrument(name)
