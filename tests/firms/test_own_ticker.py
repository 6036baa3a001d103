"""A guess that is the document's own ticker is right, whoever the lists give the letters to."""

from __future__ import annotations

import pytest

from neuter.firms import same_firm
from neuter.types import Document


def test_a_documents_own_ticker_is_right_whoever_else_has_held_it() -> None:
    """The lists do not know that QZX Corp. held AAPL: its document says so."""
    document = Document("1", "", ticker="AAPL", firm="Quizzax Dynamics", cik=999_999_999)
    assert same_firm("AAPL", document)
    assert same_firm("$aapl", document)
    assert same_firm("NASDAQ:AAPL", document)
    assert not same_firm("Apple", document)
    assert not same_firm("MSFT", document)


@pytest.mark.parametrize(
    ("guess", "ticker"), [("Coke", "COKE"), ("NA", "NA"), ("none", "NONE"), ("it", "IT")]
)
def test_a_word_is_not_the_documents_ticker(guess: str, ticker: str) -> None:
    assert not same_firm(guess, Document("1", "", ticker=ticker, cik=999_999_999))
