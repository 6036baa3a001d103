"""The linkage attacker on references small enough to work out by hand, and on the shared transcripts."""

import math
import os
import pickle
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from neuter import plugins
from neuter.attacks import Linkage, linkable
from neuter.attacks import linkage as linkage_module
from neuter.attacks.knowledge import firm_of
from neuter.errors import UsageError
from neuter.types import Document, MaskedDocument, Outcome

SHARED = Path(os.environ.get("NEUTER_SHARED_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TRANSCRIPTS = SHARED / "transcripts" / "ectsum_dev.parquet"

# Tickers that nobody has, so that a label is "ticker:" and the ticker.
AAA, BBB, CCC = "ticker:QQAA", "ticker:QQBB", "ticker:QQCC"


def doc(id_, text, firm=None, year=None, quarter=None, **more):
    ticker = firm.removeprefix("ticker:") if firm else None
    return Document(id_, text, ticker=ticker, fiscal_year=year, fiscal_quarter=quarter, **more)


def masked(id_, text, **more):
    return MaskedDocument(id_, text, "test", **more)


def guess(reference, document, **parameters):
    (only,) = Linkage(**parameters).fit(reference).attack([document])
    return only


def test_a_firm_is_found_by_its_other_document():
    reference = [
        doc("a1", "tractors and ploughs", AAA),
        doc("a2", "tractors and harvesters", AAA),
        doc("b1", "insurance and pensions", BBB),
        doc("b2", "insurance and annuities", BBB),
    ]
    found = guess(reference, masked("a1", "tractors and ploughs"))
    assert (found.firm, found.outcome, found.attacker, found.scheme) == (
        AAA,
        Outcome.ANSWERED,
        "linkage",
        "test",
    )


def test_a_document_is_never_compared_with_itself():
    reference = [doc("a1", "tractors and ploughs", AAA), doc("b1", "tractors and pensions", BBB)]
    found = guess(reference, masked("a1", "tractors and ploughs"))
    assert found.candidates == (BBB,)


def test_scores_are_cosine_similarities():
    # Each word is in one document, so all weigh the same: the query (1, 2) against (1, 1, 0, 0) and (0, 0, 1, 1).
    reference = [doc("a1", "alpha beta", AAA), doc("b1", "gamma delta", BBB)]
    found = guess(reference, masked("q", "alpha gamma gamma"), ngram_max=1, sublinear_tf=False)
    assert found.candidates == (BBB, AAA)
    assert found.scores == pytest.approx((2 / math.sqrt(10), 1 / math.sqrt(10)), abs=1e-6)


def test_sublinear_counts_weigh_one_plus_their_logarithm():
    reference = [doc("a1", "alpha beta", AAA), doc("b1", "gamma delta", BBB)]
    found = guess(reference, masked("q", "alpha gamma gamma"), ngram_max=1)
    twice = 1 + math.log(2)
    length = math.sqrt(1 + twice**2) * math.sqrt(2)
    assert found.scores == pytest.approx((twice / length, 1 / length), abs=1e-6)


def test_rare_words_weigh_more_than_common_ones():
    # "plain" is in all three, "rare" in one: idf = ln((1 + 3) / (1 + df)) + 1.
    reference = [doc("a1", "plain rare", AAA), doc("b1", "plain", BBB), doc("c1", "plain", CCC)]
    found = guess(reference, masked("q", "plain rare"), ngram_max=1)
    rare = math.log(4 / 2) + 1
    assert found.candidates == (AAA, BBB, CCC)
    assert found.scores == pytest.approx((1, *[1 / math.sqrt(1 + rare**2)] * 2), abs=1e-6)


def test_words_that_the_reference_lacks_do_not_lower_the_score():
    reference = [doc("a1", "alpha beta", AAA)]
    assert guess(reference, masked("q", "alpha beta unheard of")).scores == pytest.approx((1,), abs=1e-6)


def test_min_df_leaves_out_words_of_fewer_documents():
    reference = [
        doc("a1", "alpha shared", AAA),
        doc("b1", "beta shared", BBB),
        doc("c1", "gamma", CCC),
    ]
    found = guess(reference, masked("q", "alpha shared gamma"), ngram_max=1, min_df=2)
    assert found.candidates == (AAA, BBB)
    assert found.scores == pytest.approx((1, 1), abs=1e-6)


def test_runs_of_words_tell_apart_what_single_words_cannot():
    reference = [doc("a1", "net profit margin", AAA), doc("b1", "margin profit net", BBB)]
    query = masked("q", "margin profit net")
    assert guess(reference, query, ngram_max=2).firm == BBB
    assert guess(reference, query, ngram_max=1).firm == AAA  # a tie, which goes by label


def test_equal_scores_are_ranked_by_label_whatever_the_order_of_the_reference():
    reference = [doc("c1", "alpha", CCC), doc("b1", "alpha", BBB), doc("a1", "alpha", AAA)]
    assert guess(reference, masked("q", "alpha")).candidates == (AAA, BBB, CCC)


def test_many_equal_firms_keep_the_order_of_their_labels():
    firms = [f"ticker:QQ{n:03d}" for n in range(200)]
    reference = [doc(f"d{n}", "alpha" if n % 2 else "alpha beta", firm) for n, firm in enumerate(firms)]
    found = guess(reversed(reference), masked("q", "alpha"), candidates=200, ngram_max=1)
    assert found.candidates == (*firms[1::2], *firms[::2])


def test_the_firms_score_is_that_of_its_nearest_document():
    reference = [
        doc("a1", "unlike any", AAA),
        doc("b1", "alpha beta gamma", BBB),
        doc("a2", "alpha beta gamma delta", AAA),
    ]
    assert guess(reference, masked("q", "alpha beta gamma delta")).candidates == (AAA, BBB)


def test_candidates_are_limited_and_firms_without_a_common_word_are_left_out():
    reference = [
        doc("a1", "alpha red", AAA),
        doc("b1", "alpha green blue", BBB),
        doc("c1", "unlike", CCC),
    ]
    assert guess(reference, masked("q", "alpha red")).candidates == (AAA, BBB)
    assert guess(reference, masked("q", "alpha red"), candidates=1).candidates == (AAA,)


def test_placeholders_are_no_evidence():
    reference = [doc("a1", "Company_1 grew", AAA), doc("b1", "Company_2 shrank", BBB)]
    assert guess(reference, masked("q", "Company_1 shrank")).candidates == (BBB,)


def test_a_text_with_nothing_in_common_gets_the_most_frequent_firm_and_period():
    reference = [
        doc("a1", "alpha", AAA, 2021, 1),
        doc("b1", "beta", BBB, 2020, 2),
        doc("b2", "gamma", BBB, 2020, 2),
    ]
    found = guess(reference, masked("q", "Company_1 number_a"))
    assert (found.outcome, found.firm, found.year, found.quarter) == (
        Outcome.ANSWERED,
        BBB,
        2020,
        2,
    )
    assert (found.candidates, found.scores) == ((BBB, AAA), (0.0, 0.0))
    assert "nothing in common" in found.reason


def test_function_words_are_no_evidence_unless_asked_for():
    reference = [doc("a1", "we were there", AAA), doc("b1", "harvest", BBB)]
    query = masked("q", "we were there for the harvest")
    assert guess(reference, query).candidates == (BBB,)
    assert guess(reference, query, stop_words="none").firm == AAA


def test_an_unknown_list_of_stop_words_is_a_usage_error():
    with pytest.raises(UsageError, match=r"unknown stop_words 'german'.*english, none"):
        Linkage(stop_words="german").fit([doc("a1", "x", AAA)])


def test_the_prior_does_not_count_the_document_itself():
    reference = [doc("a1", "alpha", AAA, 2021), doc("b1", "beta", BBB, 2020)]
    found = guess(reference, masked("a1", ""))
    assert (found.candidates, found.year) == ((BBB,), 2020)


def test_the_period_is_voted_by_other_firms_documents():
    # The nearest is the firm's own call of another quarter; two others speak of 2020 Q3.
    reference = [
        doc("a2", "tractors storm outlook", AAA, 2021, 4),
        doc("b1", "pensions storm", BBB, 2020, 3),
        doc("c1", "software storm", CCC, 2020, 3),
        doc("c2", "software calm outlook", CCC, 2019, 1),
    ]
    found = guess(reference, masked("a1", "tractors storm outlook"), ngram_max=1)
    assert (found.firm, found.year, found.quarter) == (AAA, 2020, 3)


def test_votes_weigh_by_similarity():
    reference = [
        doc("a2", "tractors", AAA, 2018, 1),
        doc("b1", "storm flood frost", BBB, 2021, 2),
        doc("c1", "storm red green blue white", CCC, 2020, 3),
        doc("c2", "storm mild warm cool cold", CCC, 2020, 3),
    ]
    query = masked("a1", "tractors tractors tractors storm flood frost")
    assert guess(reference, query, ngram_max=1).year == 2021
    assert guess(reference, query, ngram_max=1, neighbours=1).year == 2021


def test_only_the_nearest_documents_vote():
    reference = [
        doc("a2", "alpha storm", AAA, 2018, 1),
        doc("b1", "storm flood", BBB, 2021, 2),
        *[doc(f"c{n}", "storm elsewhere tide", CCC, 2020, 3) for n in range(9)],
    ]
    query = masked("a1", "alpha storm flood")
    assert guess(reference, query, ngram_max=1).year == 2020
    assert guess(reference, query, ngram_max=1, neighbours=1).year == 2021


def test_a_sole_firms_own_documents_vote():
    reference = [doc("a2", "tractors", AAA, 2021, 4)]
    found = guess(reference, masked("a1", "tractors"))
    assert (found.year, found.quarter) == (2021, 4)


def test_equal_votes_go_to_the_earlier_period():
    reference = [
        doc("a2", "alpha storm", AAA),
        doc("b1", "storm", BBB, 2021, 1),
        doc("c1", "storm", CCC, 2020, 4),
    ]
    found = guess(reference, masked("a1", "alpha storm"))
    assert (found.year, found.quarter) == (2020, 4)


def test_a_reference_without_periods_gives_none():
    found = guess([doc("a2", "alpha", AAA)], masked("a1", "alpha"))
    assert (found.year, found.quarter) == (None, None)


def test_a_date_stands_in_for_a_fiscal_period_unless_it_is_assumed():
    dated = doc("h1", "storm", AAA, kind="headline", date=date(2019, 8, 3))
    found = guess([dated], masked("h2", "storm", kind="headline"))
    assert (found.year, found.quarter) == (2019, 3)
    assumed = replace(dated, date_assumed=True)
    assert guess([assumed], masked("h2", "storm")).year is None


def test_headlines_that_name_no_firm_still_tell_the_period():
    reference = [doc("h1", "storm hits coast", year=2019, quarter=2)]
    found = guess(reference, masked("h2", "storm over coast"))
    assert (found.firm, found.candidates, found.year) == (None, (), 2019)


def test_the_industry_is_the_sector_of_the_nearest_document_that_has_one():
    reference = [
        doc("a2", "alpha beta gamma", AAA),
        doc("b1", "alpha beta", BBB, sector="Energy"),
        doc("c1", "alpha", CCC, sector="Utilities"),
    ]
    assert guess(reference, masked("a1", "alpha beta gamma")).industry == "Energy"


def test_a_document_whose_masking_failed_gets_a_failed_guess_in_its_place():
    reference = [doc("a2", "alpha", AAA)]
    documents = [
        masked("q1", None, reason="no such model"),
        masked("q2", "alpha"),
        masked("q3", None),
    ]
    found = list(Linkage().fit(reference).attack(documents))
    assert [g.id for g in found] == ["q1", "q2", "q3"]
    assert [g.outcome for g in found] == [Outcome.FAILED, Outcome.ANSWERED, Outcome.FAILED]
    assert found[0].reason == "masking failed: no such model"
    assert found[0].firm is None


def test_a_batch_of_failed_documents_only_is_fine():
    found = list(Linkage().fit([doc("a1", "alpha", AAA)]).attack([masked("q", None)]))
    assert found[0].outcome is Outcome.FAILED


def test_guesses_do_not_depend_on_the_size_of_a_batch(monkeypatch):
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    reference = [
        doc(
            f"d{n}",
            " ".join(words[(n * k) % 8] for k in range(1, 7)),
            (AAA, BBB, CCC)[n % 3],
            2018 + n % 4,
            1 + n % 4,
        )
        for n in range(40)
    ]
    queries = [masked(d.id, d.text if n % 7 else None) for n, d in enumerate(reference)]
    attacker = Linkage().fit(reference)
    whole = list(attacker.attack(queries))
    for cells in (1, len(reference) * 3, len(reference) * 7):
        monkeypatch.setattr(linkage_module, "_CELLS", cells)
        assert list(attacker.attack(queries)) == whole


def test_the_reference_may_be_longer_than_a_chunk_and_is_read_once():
    reads = Counter()

    def stream():
        for n in range(600):
            reads[n] += 1
            yield doc(f"d{n}", f"word{n // 2}", f"ticker:QQ{n // 2}X")

    attacker = Linkage().fit(stream())
    found = list(attacker.attack(masked(f"d{n}", f"word{n // 2}") for n in range(600)))
    assert [g.firm for g in found] == [f"ticker:QQ{n // 2}X" for n in range(600)]
    assert set(reads.values()) == {1}


def test_attacking_without_a_reference_says_what_to_do():
    with pytest.raises(UsageError, match=r"fit\(reference\) first"):
        next(Linkage().attack([masked("q", "alpha")]))


def test_an_empty_reference_is_a_usage_error():
    with pytest.raises(UsageError, match="holds no document"):
        Linkage().fit([])


def test_a_fitted_attacker_survives_pickling():
    attacker = Linkage().fit([doc("a2", "alpha", AAA)])
    copy = pickle.loads(pickle.dumps(attacker))
    assert list(copy.attack([masked("a1", "alpha")])) == list(attacker.attack([masked("a1", "alpha")]))


def test_it_is_found_by_name_and_prints_its_parameters():
    attacker = plugins.create("attacker", "linkage", ngram_max=1)
    assert plugins.parameters(attacker)["ngram_max"] == 1


def test_linkable_are_the_documents_of_firms_with_another_document():
    documents = [
        doc("a1", "", AAA),
        doc("b1", "", BBB),
        doc("a2", "", AAA),
        doc("h1", ""),
        doc("h2", ""),
    ]
    assert linkable(iter(documents)) == {"a1", "a2"}


def test_two_share_classes_are_one_firm():
    documents = [Document("g1", "", ticker="GOOG"), Document("g2", "", ticker="GOOGL")]
    assert linkable(documents) == {"g1", "g2"}


@pytest.mark.skipif(not TRANSCRIPTS.is_file(), reason="the shared transcripts are not here")
def test_it_finds_at_least_98_of_100_firms_of_unmasked_openings():
    import polars as pl

    columns = ["id", "text", "ticker", "firm", "fiscal_year", "fiscal_quarter"]
    documents = [
        Document(**row) for row in pl.read_parquet(TRANSCRIPTS, columns=columns).iter_rows(named=True)
    ]
    counted = linkable(documents)
    assert len(counted) == 897
    openings = [masked(d.id, d.text[:3000]) for d in documents if d.id in counted]
    truth = {d.id: firm_of(d) for d in documents}
    guesses = list(Linkage().fit(documents).attack(openings))
    assert sum(g.firm == truth[g.id] for g in guesses) / len(guesses) >= 0.98
