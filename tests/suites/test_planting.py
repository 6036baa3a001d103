"""Truth planted on the way to a simulated model: the whole chain from prompt to score, and no other model sees it."""

from datetime import date

import polars as pl
import pytest

from neuter.attacks import frame_of_guesses
from neuter.attacks.baselines import Prior
from neuter.attacks.llm import LLM
from neuter.errors import UsageError
from neuter.firms import assign_sizes, firm_label_of
from neuter.masking.entity_neutering import EntityNeutering
from neuter.models import connect
from neuter.models.simulated import Planted, respondent_of
from neuter.models.simulated.respondent import wrong_firms
from neuter.scoring import score_identification
from neuter.suites.planting import planted_note, planting, truths_of
from neuter.types import Document, MaskedDocument, Request

SAMPLE = ["corpora:sample", "corpora:sample/headlines"]


@pytest.fixture(scope="module", params=SAMPLE, ids=["calls", "headlines"])
def metadata(request):
    import neuter

    return assign_sizes(neuter.read_corpus(request.param).metadata()).frame


class Echo:
    """A model that keeps what it is asked."""

    def __init__(self, model):
        self.model, self.asked = model, []

    def ask(self, requests):
        self.asked += requests
        return iter(())


def asked_of(model, truths):
    echo = Echo(model)
    list(planting(echo, truths).ask([Request("d", (("user", "x"),), {"temperature": 0.0})]))
    return echo.asked[0]


def guesses(metadata, spec):
    documents = [
        MaskedDocument(id_, "x", "s", kind) for id_, kind in metadata.select("id", "kind").iter_rows()
    ]
    with connect(f"simulated/{spec}") as model:
        return frame_of_guesses(LLM().connect(planting(model, truths_of(metadata))).attack(documents))


def values(metadata, spec):
    scores = score_identification(metadata, guesses(metadata, spec))
    whole = scores.filter(pl.col("group_by") == "all")
    return dict(whole.select("metric", "value").iter_rows())


def test_only_a_simulated_model_is_told_the_truth():
    truths = {"d": Planted("d", ticker="AAPL"), "e": Planted("e", ticker="MSFT")}
    assert asked_of("simulated/ignorant", truths).parameters == {
        "temperature": 0.0,
        "planted": {"id": "d", "kind": "transcript", "ticker": "AAPL"},
    }
    echo = Echo("openai/gpt-4o-2024-08-06")
    assert planting(echo, truths) is echo


def test_a_request_about_no_document_passes_as_it_is():
    assert "planted" not in asked_of("simulated/ignorant", {"other": Planted("other")}).parameters


def test_truths_are_those_that_the_scorer_takes():
    frame = pl.DataFrame(
        {
            "id": ["a", "b", "c"],
            "kind": ["transcript"] * 3,
            "ticker": ["AAPL", "NVDA", None],
            "fiscal_year": [2022, 2022, None],
            "fiscal_quarter": [1, 4, 9],
            "fiscal_year_end": [9, None, None],
            "date": [date(2022, 1, 27), None, None],
            "size": ["Large", None, None],
        }
    )
    truths = truths_of(frame)
    assert truths["a"] == Planted(
        "a", ticker="AAPL", label="cik:0000320193", size="Large", fiscal_year=2022, fiscal_quarter=1,
        calendar_year=2021, calendar_quarter=4, call_year=2022, call_quarter=1, date=date(2022, 1, 27),
    )  # fmt: skip
    assert truths["c"] == Planted("c")


def test_no_documents_have_no_truths(metadata):
    assert truths_of(metadata.clear()) == {}


def test_two_documents_of_one_id_are_refused(metadata):
    with pytest.raises(UsageError, match="more than one"):
        truths_of(pl.concat([metadata, metadata.head(1)]))


@pytest.mark.parametrize("reading", ["fiscal", "calendar", "call"])
def test_one_who_knows_all_is_all_right_under_the_reading_that_it_believes_in(metadata, reading):
    # Fails where the planted truth and the scorer differ, or where a right answer is not read or matched as right.
    found = values(metadata, f"all-knowing,reading={reading},malformed=0.5")
    prefix = "" if reading == "fiscal" or metadata["kind"][0] == "headline" else f"{reading}_"
    assert found["firm_accuracy"] == 100
    assert found[f"{prefix}year_accuracy"] == 100
    metric = "exact_date_accuracy" if metadata["kind"][0] == "headline" else f"{prefix}quarter_year_accuracy"
    assert found[metric] == 100


def test_periods_without_a_year_end_are_planted_as_the_scorer_assumes_them():
    metadata = pl.DataFrame(
        {"id": ["a", "b"], "kind": ["transcript"] * 2, "ticker": ["NVDA", "IBM"], "fiscal_year": [2022] * 2, "fiscal_quarter": [3, 4]}
    )  # fmt: skip
    found = values(metadata, "all-knowing,reading=calendar")
    assert found["calendar_quarter_year_accuracy"] == found["calendar_year_accuracy"] == 100


def test_one_who_knows_nothing_is_all_wrong(metadata):
    found = values(metadata, "ignorant,malformed=0.5")
    assert [found["firm_accuracy"], found["year_accuracy"]] == [0, 0]


def test_expected_figures_agree_with_the_scorer_where_nothing_is_left_to_chance(metadata):
    # Readings that agree by the calendar's chance: an all-knowing respondent's score under the OTHER readings is
    # certain too, and is worked out from the planted truths alone.
    found = values(metadata, "all-knowing,reading=call")
    expected = respondent_of("simulated/all-knowing,reading=call").expected(truths_of(metadata).values())
    for metric, by_id in expected.items():
        scale = 1 if "difference" in metric else 100
        assert found[metric] == pytest.approx(scale * sum(by_id.values()) / len(by_id), abs=1e-6), metric
        assert len(by_id) == metadata.height


def test_the_same_truth_gives_the_same_guesses_byte_for_byte(metadata, tmp_path, monkeypatch):
    first = guesses(metadata, "well-read,malformed=0.2,seed=5")
    monkeypatch.setenv("NEUTER_STORE", str(tmp_path / "another.sqlite"))
    assert guesses(metadata, "well-read,malformed=0.2,seed=5").equals(first)
    assert not guesses(metadata, "well-read,malformed=0.2,seed=6").equals(first)


def test_the_prior_is_one_guess_for_all_whatever_is_planted(metadata):
    documents = [MaskedDocument("prior", "x", "s"), MaskedDocument("other", "x", "s")]
    truths = {"prior": Planted("prior", ticker="GE", fiscal_year=1999, fiscal_quarter=1)}
    with connect("simulated/all-knowing") as model:
        first, second = Prior().connect(planting(model, truths)).attack(documents)
    assert first.year == second.year != 1999
    assert first.firm == second.firm != "GE"


def test_it_cannot_mask_and_says_what_to_name_instead():
    document = Document("d", "Apple sold phones.", ticker="AAPL")
    with connect("simulated/all-knowing") as model:
        asked = planting(model, {"d": Planted("d", ticker="AAPL")})
        (masked,) = EntityNeutering().connect(asked).mask([document])
    assert masked.text is None
    assert "--masker" in masked.reason


def test_firms_named_by_mistake_are_the_ones_that_they_are_taken_for():
    # Else a wrong guess could be scored as right, or its label miss the document's own.
    for wrong in wrong_firms():
        for year in (2003, 2010, 2018, 2025):
            assert firm_label_of(wrong.ticker, on=date(year, 6, 30)) == wrong.label, wrong


def test_sizes_decide_which_firms_are_known(metadata):
    truths = truths_of(metadata).values()
    expected = respondent_of("simulated/large=0.9,mid=0.5,small=0.1").expected(truths)["firm_accuracy"]
    by_size = {"Large": 0.9, "Mid": 0.5, "Small": 0.1}
    assert {t.id: by_size[t.size] for t in truths} == pytest.approx(expected)


@pytest.mark.slow
def test_intervals_hold_what_was_planted(metadata):
    # benchmarks/calibration.py does this through the whole suite, and for more firms.
    spec = "large=0.8,mid=0.5,small=0.3,slips=0.05,years=0.6,correlation=0.7,dates=0.4,refusals=0.1,malformed=0.2"
    truths, holding = truths_of(metadata), []
    for seed in range(20):
        model = f"{spec},seed={seed}"
        expected = respondent_of(f"simulated/{model}").expected(truths.values())
        scores = score_identification(metadata, guesses(metadata, model), seed=seed)
        rows = scores.filter(pl.col("group_by").is_in(["all", "size"]), pl.col("ci_low").is_not_null())
        for row in rows.filter(pl.col("metric").is_in(list(expected))).iter_rows(named=True):
            inside = [t.id for t in truths.values() if row["group"] in ("all", t.size)]
            planted = sum(expected[row["metric"]][id_] for id_ in inside) / len(inside)
            scale = 100 if row["unit"] == "percent" else 1
            holding.append(row["ci_low"] - 1e-5 <= scale * planted <= row["ci_high"] + 1e-5)
    assert len(holding) > 500
    assert sum(holding) / len(holding) >= 0.93


def test_a_run_says_what_was_planted() -> None:
    metadata = pl.DataFrame(
        {
            "id": ["a", "b", "c"],
            "kind": ["transcript"] * 3,
            "ticker": ["AAPL", "F", "GM"],
            "fiscal_year": [2020, 2021, 2021],
            "fiscal_quarter": [1, 2, 3],
            "size": ["Large", "Large", "Mid"],
        }
    )
    told = planted_note("simulated/large=0.9,mid=0.3,years=0.5,quarters=0.5", metadata, truths_of(metadata))
    assert "firm All 70.00%, Large 90.00%, Mid 30.00%" in told
    assert "year All 50.00%" in told
    assert "quarter and year All 25.00%" in told
