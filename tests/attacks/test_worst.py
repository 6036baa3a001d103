"""Which of two references is worse for a scheme, and the masked reference itself."""

import pytest

from neuter.attacks import masked_reference, worse_for_the_scheme
from neuter.errors import UsageError
from neuter.types import Document, Guess, MaskedDocument


def guesses(*firms):
    return [Guess(str(n), "rules", "linkage", firm=firm) for n, firm in enumerate(firms)]


def correct(guess):
    return guess.firm == "right"


def test_the_reference_with_more_right_guesses_is_worse_for_the_scheme():
    raw, hidden = guesses("right", "wrong", "wrong"), guesses("wrong", "right", "right")
    assert worse_for_the_scheme({"raw": raw, "masked": hidden}, correct) == "masked"
    assert worse_for_the_scheme({"raw": hidden, "masked": raw}, correct) == "raw"


def test_a_tie_goes_to_raw_whatever_the_order():
    same = guesses("right", "wrong")
    assert worse_for_the_scheme({"masked": same, "raw": same}, correct) == "raw"


def test_a_tie_without_raw_goes_to_the_first():
    same = guesses("right")
    assert worse_for_the_scheme({"masked": same, "other": same}, correct) == "masked"


def test_it_is_the_share_that_counts_and_no_guess_is_no_hit():
    assert (
        worse_for_the_scheme({"raw": guesses("right", "right", "wrong"), "masked": guesses("right")}, correct)
        == "masked"
    )
    assert worse_for_the_scheme({"raw": [], "masked": guesses("right")}, correct) == "masked"


def test_no_reference_is_a_usage_error():
    with pytest.raises(UsageError, match="no reference"):
        worse_for_the_scheme({}, correct)


def test_the_masked_reference_keeps_what_is_known_and_leaves_failures_out():
    documents = [Document("a", "Apple", ticker="AAPL", fiscal_year=2021), Document("b", "Visa")]
    hidden = [MaskedDocument("a", "Company_1", "rules"), MaskedDocument("b", None, "rules")]
    assert list(masked_reference(documents, hidden)) == [
        Document("a", "Company_1", ticker="AAPL", fiscal_year=2021)
    ]


def test_a_masked_reference_of_another_corpus_is_a_usage_error():
    with pytest.raises(UsageError, match="'b' stands where 'a'"):
        list(masked_reference([Document("a", "x")], [MaskedDocument("b", "x", "rules")]))


@pytest.mark.parametrize("extra", ["documents", "masked"])
def test_a_masked_reference_of_another_length_is_a_usage_error(extra):
    documents = [Document("a", "x"), Document("b", "y")]
    hidden = [MaskedDocument("a", "x", "rules"), MaskedDocument("b", "y", "rules")]
    with pytest.raises(UsageError, match="not as many"):
        list(
            masked_reference(
                documents if extra == "documents" else documents[:1],
                hidden if extra == "masked" else hidden[:1],
            )
        )
