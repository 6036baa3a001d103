"""Caveats of run.json in words; a damaged record breaks nothing."""

from __future__ import annotations

from neuter.reports.run_record import caveats, comparisons

OF = {"panel": "A", "group_by": "firm", "groups": [""], "metrics": ["firm_accuracy"]}


def entry(text: str, *of: object) -> dict[str, object]:
    return {"scheme": "rules", "attacker": "llm", "model": "x/y", "text": text, "of": list(of)}


def test_which_figures_a_caveat_is_about_is_said_in_words():
    many = {
        **OF,
        "panel": "",
        "group_by": "size",
        "groups": ["Large"],
        "metrics": [f"m{k}" for k in range(9)],
    }
    whole = {**OF, "panel": "B", "group_by": "all", "groups": ["all"], "metrics": [""]}
    (row,) = caveats({"caveats": [entry("one firm", OF, many, whole)]})["rows"]
    assert row == {
        "series": "rules · llm (x/y)",
        "text": "one firm",
        "which": "Panel A, every firm: Firm found; Large: 9 measures; Panel B, all documents: every measure",
    }


def test_of_many_the_first_are_shown_and_all_are_counted():
    told = caveats({"caveats": [entry(f"text {k}", OF) for k in range(500)]})
    assert (len(told["rows"]), told["total"]) == (200, 500)


def test_a_damaged_record_breaks_nothing():
    assert caveats({})["rows"] == []
    assert caveats({"caveats": ["x", {"of": ["y"]}]})["total"] == 1


def test_a_negative_difference_has_a_true_minus():
    row = {"attacker": "llm", "difference": -2.75, "ci_low": -5.5, "ci_high": 0.5, "p_value": 1e-5}
    (told,) = comparisons({"comparisons": [row]})["rows"]
    assert told[4:7] == ["\u22122.75", "[\u22125.5, 0.5]", "1e-05"]
