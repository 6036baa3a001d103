"""The identification line in the forms that models give it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuter.models import Identification, parse_identification
from neuter.models.answers.extract import find_objects, is_refusal, strip_reasoning
from neuter.types import Outcome


def parsed(text):
    found = parse_identification(text)
    assert found.outcome is Outcome.ANSWERED, text
    return found.firm, found.industry, found.quarter, found.year


FULL = ("AAPL", "Consumer Electronics", 3, 2018)


@pytest.mark.parametrize(
    "text",
    [
        "Company Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3, Year Estimate: 2018",
        "**Company Estimate:** AAPL, **Industry Estimate:** Consumer Electronics, **Quarter Estimate:** 3, **Year Estimate:** 2018",
        "**Company Estimate**: AAPL\n**Industry Estimate**: Consumer Electronics\n**Quarter Estimate**: Q3\n**Year Estimate**: 2018",
        "**Company Estimate: AAPL**\n**Industry Estimate: Consumer Electronics**\n**Quarter Estimate: Q3**\n**Year Estimate: FY2018**",
        "- Company Estimate: AAPL\n- Industry Estimate: Consumer Electronics\n- Quarter Estimate: Third quarter\n- Year Estimate: fiscal 2018",
        "1. Company Estimate: $AAPL\n2. Industry Estimate: Consumer Electronics\n3. Quarter Estimate: 3Q\n4. Year Estimate: '18",
        "* **Company Estimate:** `AAPL`\n* **Industry Estimate:** `Consumer Electronics`\n* **Quarter Estimate:** `Q3`\n* **Year Estimate:** `2018`",
        "company estimate: AAPL, industry estimate: Consumer Electronics, quarter estimate: q3, year estimate: fy2018",
        "COMPANY ESTIMATE: AAPL, INDUSTRY ESTIMATE: Consumer Electronics, QUARTER ESTIMATE: Q3, YEAR ESTIMATE: 2018",
        "company estimate: aapl, industry estimate: Consumer Electronics, quarter estimate: third, year estimate: 2018",
        "Company Estimate: NASDAQ: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3rd, Year Estimate: FY18",
        "Company Estimate: Apple Inc. (AAPL), Industry Estimate: Consumer Electronics, Quarter Estimate: Q3 2018",
        "Company Estimate: Apple Inc. (NASDAQ: AAPL), Industry Estimate: Consumer Electronics, Quarter Estimate: Q3 FY18, Year Estimate:",
        "Company Estimate: AAPL (Apple Inc.), Industry Estimate: Consumer Electronics, Quarter Estimate: 3Q18, Year Estimate: 2018",
        "Company Estimate = AAPL; Industry Estimate = Consumer Electronics; Quarter Estimate = 3; Year Estimate = 2018",
        "Company Estimate - AAPL, Industry Estimate - Consumer Electronics, Quarter Estimate - 3, Year Estimate - 2018",
        "Company Estimate is AAPL, Industry Estimate is Consumer Electronics, Quarter Estimate is 3, Year Estimate is 2018",
        "Company Estimate: [AAPL], Industry Estimate: [Consumer Electronics], Quarter Estimate: [3], Year Estimate: [2018]",
        "Company Estimate:\nAAPL\n\nIndustry Estimate:\nConsumer Electronics\n\nQuarter Estimate:\n3\n\nYear Estimate:\n2018",
        "Based on the text, my best guess is:\n\nCompany Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3, Year Estimate: 2018.\n\nThe phone sales of 2017 suggest this.",
        "<think>It may be MSFT. Company Estimate: MSFT, Year Estimate: 2001</think>\nCompany Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3, Year Estimate: 2018",
        "Company Estimate: TIK, Industry Estimate: Industry Name, Quarter Estimate: Q, Year Estimate: Y\n\nCompany Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: 3, Year Estimate: 2018",
        '{"company_estimate": "AAPL", "industry_estimate": "Consumer Electronics", "quarter_estimate": 3, "year_estimate": 2018}',
        'Here it is:\n```json\n{"Company": "AAPL", "Industry": "Consumer Electronics", "Quarter": "Q3", "Year": "2018"}\n```\nGood luck!',
        'The answer is {"ticker": "AAPL", "sector": "Consumer Electronics", "fiscal_quarter": "3Q", "fiscal_year": 2018.0} I think.',
        '{"estimates": {"Company Estimate": "AAPL", "Industry Estimate": "Consumer Electronics", "Quarter Estimate": "Q3", "Year Estimate": "2018"}}',
        "{'Company Estimate': 'AAPL', 'Industry Estimate': 'Consumer Electronics', 'Quarter Estimate': '3', 'Year Estimate': '2018'}",
        "| Company Estimate | AAPL |\n| Industry Estimate | Consumer Electronics |\n| Quarter Estimate | Q3 |\n| Year Estimate | 2018 |",
        "Company: AAPL\nIndustry: Consumer Electronics\nQuarter: Q3\nYear: 2018",
        "**Ticker:** AAPL, **Industry:** Consumer Electronics, **Fiscal Quarter:** Q3, **Fiscal Year:** 2018",
        "AAPL, Consumer Electronics, Q3, 2018",
        "Estimated Company: AAPL\nEstimated Industry: Consumer Electronics\nEstimated Quarter: 3\nEstimated Year: 2018",
        "Company/Ticker Estimate: AAPL, Industry Estimate: Consumer Electronics, Quarter Estimate: Quarter 3, Fiscal Year Estimate: 2018",
        "Company Estimate: AAPL,Industry Estimate: Consumer Electronics,Quarter Estimate: Q3'18,Year Estimate: 2018",
        "Company Estimate: “AAPL”, Industry Estimate: “Consumer Electronics”, Quarter Estimate: “Q3”, Year Estimate: “2018”",
        "Company Estimate: AAPL  \r\nIndustry Estimate: Consumer Electronics  \r\nQuarter Estimate: 3  \r\nYear Estimate: 2018  \r\n",
    ],
)
def test_every_form_gives_the_same_identification(text):
    assert parsed(text) == FULL


@pytest.mark.parametrize(
    ("value", "firm"),
    [
        ("AAPL", "AAPL"),
        ("BRK.B", "BRK.B"),
        ("BRK-B", "BRK-B"),
        ("F", "F"),
        ("Apple Inc.", "Apple Inc."),
        ("Apple", "Apple"),
        ("Johnson & Johnson", "Johnson & Johnson"),
        ("J.P. Morgan Chase", "J.P. Morgan Chase"),
        ("JPMorgan Chase & Co. (NYSE: JPM)", "JPM"),
        ("NVIDIA Corporation", "NVIDIA Corporation"),
        ("NVIDIA", "NVIDIA"),
        ("Costco Wholesale Corp.", "Costco Wholesale Corp."),
        ("Meta Platforms (formerly Facebook)", "Meta Platforms"),
        ("Shell (UK)", "Shell"),
        ("MSFT - Microsoft", "MSFT"),
        ("Microsoft. The text speaks of cloud services.", "Microsoft"),
        ("Ticker: MSFT", "MSFT"),
        ("AT&T", "AT&T"),
        ("The company is most likely a large retailer such as Walmart (WMT)", "WMT"),
        ("3M", "3M"),
        ("amzn", "AMZN"),
    ],
)
def test_the_firm_is_the_ticker_or_else_the_name(value, firm):
    assert parse_identification(f"Company Estimate: {value}\nYear Estimate: 2018").firm == firm
    assert parse_identification(f"Company Estimate: {value}, Industry Estimate: Y").firm == firm


@pytest.mark.parametrize(
    "value",
    ["TIK", "[TIK]", "N/A", "NA", "n/a", "None", "null", "Unknown", "unknown company", "Not specified", "?", "-", "", "Company_1", "ticker_x", "Company Name", "Cannot determine", "Unable to identify", "I cannot identify the company"],
)  # fmt: skip
def test_no_firm_is_none(value):
    found = parse_identification(
        f"Company Estimate: {value}, Industry Estimate: Retail, Quarter Estimate: 2, Year Estimate: 2018"
    )
    assert found.firm is None
    assert (found.industry, found.quarter, found.year) == ("Retail", 2, 2018)


@pytest.mark.parametrize(
    ("value", "quarter"),
    [
        ("1", 1),
        ("Q4", 4),
        ("q2", 2),
        ("Q 2", 2),
        ("2Q", 2),
        ("2Q2019", 2),
        ("2nd quarter", 2),
        ("second quarter", 2),
        ("Second", 2),
        ("Fourth fiscal quarter of 2019", 4),
        ("Q1/Q2", None),
        ("3 (July to September)", 3),
        ("Quarter 3", 3),
        ("Q3-2018", 3),
        ("Q2FY19", 2),
        ("7", None),
        ("Q7", None),
        ("0", None),
        ("12", None),
        ("Q12", None),
        ("3.5", None),
        ("Q", None),
        ("Unknown", None),
        ("FY", None),
        ("H2", None),
    ],
)
def test_a_quarter_is_one_to_four_in_any_writing(value, quarter):
    assert (
        parse_identification(f"Company Estimate: AAPL, Quarter Estimate: {value}, Year Estimate: N/A").quarter
        == quarter
    )


@pytest.mark.parametrize(
    ("value", "year"),
    [
        ("2018", 2018),
        ("FY2018", 2018),
        ("FY 2018", 2018),
        ("fiscal year 2018", 2018),
        ("FY18", 2018),
        ("FY'18", 2018),
        ("'18", 2018),
        ("’98", 1998),
        ("18", 2018),
        ("2018.", 2018),
        ("(2018)", 2018),
        ("2018 or 2019", None),
        ("2018/2019", 2018),
        ("Q3 2018", 2018),
        ("2018.0", 2018),
        ("2100", 2100),
        ("2101", None),
        ("1899", None),
        ("1900", 1900),
        ("20180", None),
        ("2,018", None),
        ("Y", None),
        ("Unknown", None),
        ("$2018.50", None),
    ],
)
def test_a_year_lies_between_1900_and_2100(value, year):
    assert parse_identification(f"Company Estimate: AAPL\nYear Estimate: {value}").year == year
    assert (
        parse_identification(f"Company Estimate: AAPL, Year Estimate: {value}, Quarter Estimate: N/A").year
        == year
    )


@pytest.mark.parametrize(
    ("value", "industry"),
    [
        ("Oil, Gas & Consumable Fuels", "Oil, Gas & Consumable Fuels"),
        ("Hotels, Restaurants and Leisure", "Hotels, Restaurants and Leisure"),
        ("Semiconductors (GPUs)", "Semiconductors (GPUs)"),
        ("Industry Name", None),
        ("N/A", None),
    ],
)
def test_industries_may_hold_commas(value, industry):
    text = f"Company Estimate: XOM, Industry Estimate: {value}, Quarter Estimate: 1, Year Estimate: 2015"
    assert parsed(text) == ("XOM", industry, 1, 2015)


NOTHING = Identification()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n ",
        "Company Estimate: TIK, Industry Estimate: Industry Name, Quarter Estimate: Q, Year Estimate: Y",
        "(TIK is your estimate of the ticker, Industry Name is your estimate of the industry, Q is your estimate of the quarter, Y is your estimate of the year): Company Estimate: TIK, Industry Estimate: Industry Name, Quarter Estimate: Q, Year Estimate: Y",
        "Company Estimate: N/A, Industry Estimate: N/A, Quarter Estimate: N/A, Year Estimate: N/A",
        "Company Estimate: ticker_x, Industry Estimate: Retail, Quarter Estimate: quarter_x, Year Estimate: year_x",
        "The text is about a company which sells things. Revenue grew by 12 percent in 2018.",
        "<think>Company Estimate: AAPL, Year Estimate: 2018",
        '{"company": null, "year": null}',
        "{" * 500,
    ],
)
def test_what_holds_no_answer_is_unparsed(text):
    assert parse_identification(text) == NOTHING


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't identify the company.",
        "I’m sorry, I can’t assist with that request.",
        "I cannot identify which company this is.",
        "I am unable to determine the company from the text.",
        "As an AI, I do not speculate.",
        "<think>Could be AAPL in 2018.</think>I won't guess.",
        "Unfortunately it is not possible to identify the firm.",
        "Company Estimate: I cannot determine this",
    ],
)
def test_a_refusal_is_a_refusal(text):
    assert parse_identification(text) == Identification(outcome=Outcome.REFUSED)


def test_an_answer_after_an_apology_is_an_answer():
    text = "I'm sorry, I can't be certain. Company Estimate: F, Industry Estimate: Autos, Quarter Estimate: 1, Year Estimate: 2009"
    assert parsed(text) == ("F", "Autos", 1, 2009)


def test_a_year_alone_is_an_answer_and_an_industry_alone_is_none():
    assert parse_identification("Year Estimate: 2009") == Identification(year=2009, outcome=Outcome.ANSWERED)
    assert parse_identification("Industry Estimate: Retail") == NOTHING


def test_the_fullest_answer_counts_and_among_equals_the_last():
    fuller = "Company Estimate: AAPL, Quarter Estimate: 2, Year Estimate: 2010\nFinal: Company Estimate: MSFT"
    assert parse_identification(fuller).firm == "AAPL"
    corrected = "Company Estimate: AAPL, Year Estimate: 2010. No: Company Estimate: MSFT, Year Estimate: 2011"
    assert parse_identification(corrected).firm == "MSFT"


def test_reasoning_is_stripped_closed_or_not():
    assert strip_reasoning("<think>a</think>b<thinking>c</thinking>d") == "b d"
    assert strip_reasoning("a</think>b") == "b"
    assert strip_reasoning("b<think>never closed") == "b"


def test_what_a_server_leaves_of_channels_and_control_tokens_is_stripped():
    channels = "<|channel|>analysis<|message|>AAPL?<|end|><|start|>assistant<|channel|>final<|message|>MSFT<|return|>"
    assert strip_reasoning(channels) == "MSFT"
    assert strip_reasoning("<|channel|>analysis<|message|>AAPL?") == ""
    assert strip_reasoning("<|channel|>final <|constrain|>json<|message|>{}") == "{}"
    assert strip_reasoning("[THINK]AAPL?[/THINK]MSFT</s>") == "MSFT"
    assert strip_reasoning("◁think▷AAPL?◁/think▷MSFT<|im_end|>") == "MSFT"
    assert strip_reasoning("<analysis>AAPL?</analysis> an analysis of MSFT") == "an analysis of MSFT"


def test_an_object_behind_many_braces_is_found():
    text = r"\frac{1}{2} " * 500 + '{"a": 1}'
    assert find_objects(text) == [{"a": 1}]
    assert find_objects('{"x' * 500 + ' {"a": 1}') == [{"a": 1}]


def test_objects_are_found_wherever_they_stand():
    assert find_objects('x {"a": 1} y {"b": 2} z') == [{"a": 1}, {"b": 2}]
    assert find_objects('{broken {"a": 1}') == [{"a": 1}]
    assert find_objects("none") == []


def test_an_ordinary_sentence_is_no_refusal():
    assert not is_refusal("We cannot complain: margins rose, and we do not expect that to end.")
    assert not is_refusal("Company Estimate: AAPL")


ANY_TEXT = st.text(max_size=300)
LABEL = st.sampled_from(
    ["Company Estimate: ", "**Quarter Estimate:** ", "Year Estimate: ", "industry: ", "\nYear: ", "{", "}", '"year": ', ", ", "Q", "FY", "'", "<think>", "</think>", "```json\n"]
)  # fmt: skip
PIECES = st.lists(LABEL | st.text(max_size=8) | st.integers(0, 99999).map(str), max_size=25).map("".join)


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT | PIECES)
def test_no_text_crashes_the_parser_and_no_year_or_quarter_is_invented(text):
    found = parse_identification(text)
    if found.outcome is not Outcome.ANSWERED:
        assert (found.firm, found.industry, found.quarter, found.year) == (None, None, None, None)
        return
    assert found.firm or found.quarter or found.year
    if found.year is not None:
        assert 1900 <= found.year <= 2100
        assert str(found.year) in text or str(found.year)[2:] in text
    if found.quarter is not None:
        words = {1: ("1", "first"), 2: ("2", "second"), 3: ("3", "third"), 4: ("4", "fourth")}[found.quarter]
        assert any(word in text.lower() for word in words)
    if found.firm is not None:
        assert found.firm.strip()
        assert all(word.lower() in text.lower() for word in found.firm.split())


def test_a_long_answer_is_parsed_in_time():
    import time

    started = time.perf_counter()
    parse_identification("Company Estimate " * 20_000)
    parse_identification("{" * 100_000)
    parse_identification(" \t" * 100_000 + "Company Estimate: AAPL")
    parse_identification("*" * 100_000)
    assert time.perf_counter() - started < 5


def test_a_thought_between_two_words_does_not_join_them():
    assert parse_identification("COMPANY:0<THINK></THINK>A").firm in {"0", "0 A", "A"}
