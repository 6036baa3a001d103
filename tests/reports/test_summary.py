from __future__ import annotations

from synthetic_run import score_frame, score_row

from neuter.reports.summary import closing_sentence, findings, opening_sentence

RUN = {
    "corpus": {"name": "corpora:sample", "documents": 96, "opening": 3000},
    "schemes": [{"name": "none"}, {"name": "rules"}],
    "attackers": [{"name": "linkage"}],
}


def test_the_opening_says_what_was_masked_and_by_whom_it_was_attacked() -> None:
    assert opening_sentence(RUN) == (
        "96 documents of corpora:sample (the first 3,000 characters of each) were masked with 2 schemes "
        "(none and rules), and 1 attacker (linkage) guessed from what was left."
    )


def _frame(values: dict[tuple[str, str], float | None]):
    return score_frame(
        [
            score_row(scheme=s, attacker=a, metric="firm_accuracy", value=v, baseline=4.2, n=96)
            for (s, a), v in values.items()
        ]
    )


def test_the_strongest_attacker_of_each_scheme_counts() -> None:
    found = findings(
        _frame(
            {
                ("none", "llm"): 5.0,
                ("none", "linkage"): 97.9,
                ("rules", "llm"): 6.0,
                ("rules", "linkage"): None,
            }
        )
    )
    assert [(f.scheme, f.attacker, f.value) for f in found] == [
        ("none", "linkage", "97.9"),
        ("rules", "llm", "6.0"),
    ]
    assert found[0].sentence == (
        "linkage found the firm in 97.9% of 96 documents; the best constant guess would get 4.2%"
    )
    assert closing_sentence(found).startswith("Least was found under rules (6.0%), most under none (97.9%).")


def test_an_attacker_that_reads_nothing_is_strongest_only_alone() -> None:
    (found,) = findings(_frame({("rules", "prior"): 9.0, ("rules", "linkage"): 3.0}))
    assert found.attacker == "linkage"
    (found,) = findings(_frame({("rules", "majority"): 9.0}))
    assert found.attacker == "majority"


def test_an_attacker_that_found_nothing_is_still_a_finding() -> None:
    (found,) = findings(_frame({("rules", "linkage"): 0.0}))
    assert found.value == "0.0"


def test_without_firms_the_years_are_told() -> None:
    frame = score_frame([score_row(scheme="rules", attacker="llm", metric="year_accuracy", value=40.0, n=5)])
    (found,) = findings(frame)
    assert "“year” in 40.0%" in found.sentence


def test_no_scores_no_findings() -> None:
    assert findings(score_frame([])) == []
