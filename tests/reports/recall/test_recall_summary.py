from __future__ import annotations

from neuter.reports.recall.score_index import ScoreIndex
from neuter.reports.recall.summary import findings, opening_sentence


def _findings(make, rows, **run) -> list[str]:
    return findings(ScoreIndex(make.scores(rows)), make.run(**run))


def test_the_best_and_the_worst_remembered_series_are_named(make) -> None:
    known = {"panel": "rates", "unit": "percentage_points"}
    values = {"gdp_growth": 0.15, "inflation": 0.04, "unemployment_rate": 0.03, "treasury_10y": 0.06}
    rows = [
        make.row("mean_absolute_error", value, **known, series=series) for series, value in values.items()
    ]
    rows += [make.row("mean_absolute_error", 0.66, **known, series="gdp_growth", split="post")]
    (told,) = [one for one in _findings(make, rows) if one.startswith("Rates")]
    assert told == (
        "Rates: before its cutoff the model is off by 0.03 points (Unemployment Rate) to 0.15 points (GDP Growth) on "
        "average; after it 0.66 points."
    )


def test_equal_figures_are_told_once_and_contexts_in_their_order(make) -> None:
    rows = [make.row("mean_absolute_percent_error", 0.001, series=series) for series in ("sp500", "djia")]
    rows = [*(row | {"condition": "news", "value": 2.0} for row in rows), *rows]
    told = [one for one in _findings(make, rows) if one.startswith("Daily levels")]
    assert told == [
        "Daily levels: before its cutoff the model is off by 0.00% on average, in every series.",
        "Daily levels with context (news): before its cutoff the model is off by 2.00% on average, in every series.",
    ]


def test_of_words_the_most_often_right_comes_first(make) -> None:
    rows = [
        make.row("accuracy", v, panel="monthly_directions", series=s)
        for s, v in (("sp500", 70.0), ("djia", 80.0))
    ]
    (told,) = [one for one in _findings(make, rows) if one.startswith("Monthly directional")]
    assert told.endswith("the model is right in 80.00% (DJIA) to 70.00% (SP500) of answers.")


def test_headlines_are_told_without_the_name_of_a_series(make) -> None:
    rows = [make.row("month_year_accuracy", 90.38, panel="headline_dates", series="headlines")]
    assert (
        "Headline dates: before its cutoff the model names the right month and year in 90.38% of answers."
        in (_findings(make, rows))
    )


def test_without_a_break_over_all_series_their_months_are_told(make) -> None:
    known = {"split": "all", "unit": "years"}
    rows = [
        make.row("effective_cutoff", v, **known, series=s) for s, v in (("sp500", 2023.75), ("djia", 2023.25))
    ]
    told = [one for one in _findings(make, rows) if "breaks" in one]
    assert told == [
        "Daily levels: recall breaks between 2023-04 and 2023-10, series by series; the stated cutoff is 2023-10-01."
    ]


def test_no_break_is_no_sentence(make) -> None:
    rows = [make.row("effective_cutoff", None, split="all", unit="years")]
    assert not [one for one in _findings(make, rows) if "breaks" in one]


def test_each_question_is_counted_once(make) -> None:
    counts = {"answered": 8, "refused": 1, "failed": 1}
    rows = [
        make.row(metric, 1.0, split=split, series=series, **counts)
        for series in ("sp500", "djia")
        for split in ("all", "pre")
        for metric in ("refusals", "mean_percent_error")
    ]
    told = _findings(make, rows)[-1]
    assert told == "4 of 20 questions (20.0%) have no usable answer: 2 refused and 2 failed."
    every = [make.row("refusals", 0.0, split="all", answered=10)]
    assert _findings(make, every)[-1] == "All 10 questions were answered."


def test_models_are_told_apart(make) -> None:
    rows = [make.row("mean_absolute_percent_error", 1.0, model=model) for model in ("a/x", "b/y")]
    told = _findings(make, rows)
    assert [one.partition(":")[0] for one in told] == ["a/x", "b/y"]


def test_the_opening_names_models_and_cutoffs(make) -> None:
    run = make.run(
        models=["a/x", "b/y"], cutoffs={"a/x": "2023-10-01"}, outcomes={"answered": 3, "refused": 1}
    )
    assert opening_sentence(run) == (
        "a/x (training cutoff 2023-10-01) and b/y were asked 4 questions about what happened on given dates."
    )
