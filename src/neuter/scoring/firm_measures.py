"""Was the firm found? Right, among the first five, at which place, and named less precisely than asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from neuter.firms.dating import depends_on_month
from neuter.firms.distinct import by_distinct
from neuter.firms.matching import matches, resolve
from neuter.firms.relations import Relation, owners_of, relations_of
from neuter.firms.sectors import names_only_a_sector
from neuter.firms.universe import universe
from neuter.scoring.measures import NO_CLASS, Bools, Floats, Ints, Measure

_TRUTH = ["label", "ticker", "firm"]


def firm_measures(frame: pl.DataFrame, firms: Ints, labels: list[str], answered: Bools) -> list[Measure]:
    """``firm_accuracy``, ``firm_less_precise``, and of attackers that rank also how high the firm stands.

    Args:
        frame: of ``joining.joined``.
        firms: each document's firm, as a place in ``labels``.
        answered: documents that have an answer.
    """
    known = (frame["label"] != "").to_numpy()
    named = _named(frame, "said_firm")
    right, said = _said_firms(frame, named, firms, labels)
    near = _less_precise(frame, named, known & answered & (right == 0))
    measures = [
        Measure("firm_accuracy", "share", right, known, firms, said=said, skill="firm_skill"),
        Measure("firm_less_precise", "near", near, known, firms),
    ]
    lengths = frame["said_candidates"].list.len().fill_null(0).to_numpy().astype(np.int64)
    # An attacker that names one firm each time ranks nobody: its first five would be its only one.
    if (lengths * answered).max(initial=0) > 1:
        field = int(frame.filter(pl.Series(known & answered))["label"].n_unique())
        measures += _ranked(known, firms, _ranks(frame, known & answered), lengths, field)
    return measures


def _ranked(known: Bools, firms: Ints, ranks: Ints, lengths: Ints, field: int) -> list[Measure]:
    top5 = ((ranks >= 1) & (ranks <= 5)).astype(np.float64)
    reciprocal = np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > 0)
    left = effective_candidates(ranks, lengths, field)
    most = 2.0 * max(field, int(lengths.max(initial=1))) - 1
    return [
        Measure("firm_accuracy_top5", "top5", top5, known, firms),
        Measure("firm_mrr", "mrr", reciprocal, known, firms),
        Measure("effective_candidates", "places", left, known, firms, most=most),
    ]


def effective_candidates(ranks: Ints, lengths: Ints, field: int) -> Floats:
    """By document, 2 × place − 1: its mean is the number of equally likely firms that leave as many guesses.

    Among m equally likely candidates the true one's mean place is (m + 1) / 2. Source: Bonneau (2012), "The science of
    guessing", section III, which turns the expected number of guesses G into 2G − 1 equally likely values. A firm
    that is not among the ``lengths`` candidates (rank 0) stands at the mean of the places after them, up to the
    ``field`` of firms that the documents are of.
    """
    last = np.maximum(lengths + 1, field)
    place = np.where(ranks > 0, ranks, (lengths + 1 + last) / 2)
    return np.asarray(2.0 * place - 1.0)


def _less_precise(frame: pl.DataFrame, named: pl.Series, wrong: Bools) -> Floats:
    """1 where a wrong guess names the firm's parent, a subsidiary or brand of it, or its sector."""
    near = np.zeros(frame.height)
    # Only such pairs are looked at closely as may be of owner and owned at some time, or of a sector.
    owners = by_distinct(frame, ["label", "firm"], _owners)
    guessed = pl.DataFrame({"said": frame["said_firm"], "first": named.list.first().cast(pl.String)})
    owners_of_guess = by_distinct(guessed, ["first", "said"], _owners)
    sector = by_distinct(frame, ["said_firm"], lambda rows: _flags(names_only_a_sector(*row) for row in rows))
    close = owners_of_guess.list.contains(frame["label"]).fill_null(False) | sector
    close |= owners.list.set_intersection(named).list.len().fill_null(0) > 0
    at = np.flatnonzero(wrong & close.to_numpy())
    if at.size:
        near[at] = (relations_of(frame[at]) == Relation.LESS_PRECISE.value).to_numpy()
    return near


def _owners(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    return pl.Series([list(owners_of(*row)) for row in rows], dtype=pl.List(pl.String))


def _flags(values: Iterable[bool]) -> pl.Series:
    return pl.Series(list(values), dtype=pl.Boolean)


def _said_firms(frame: pl.DataFrame, named: pl.Series, firms: Ints, labels: list[str]) -> tuple[Floats, Ints]:
    """1 where the guess names the document's firm; and the guessed firm's place in ``labels``, -1 for another."""
    right = _right(frame, "said_firm", named)
    # A guess that two firms answer to is, for chance's sake, a guess of the first.
    places = pl.DataFrame({"first": labels, "place": np.arange(len(labels))})
    first = pl.DataFrame({"first": named.list.first().cast(pl.String)}).join(
        places, on="first", how="left", maintain_order="left"
    )
    said = first["place"].fill_null(NO_CLASS).to_numpy().astype(np.int64)
    correct = right.to_numpy()
    return correct.astype(np.float64), np.where(correct, firms, said)


def _named(frame: pl.DataFrame, column: str) -> pl.Series:
    """Labels of the firms that each guess names on the document's day; each distinct question is asked once."""
    dated = by_distinct(
        frame, [column], lambda rows: _flags(bool(g) and depends_on_month(g) for (g,) in rows)
    )
    month = pl.when(dated).then(pl.col("on").dt.truncate("1mo"))
    asked = frame.select(pl.col(column), month.alias("month"))
    return by_distinct(asked, [column, "month"], _resolved)


def _resolved(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    return pl.Series([list(resolve(said, on)) for said, on in rows], dtype=pl.List(pl.String))


def _right(frame: pl.DataFrame, column: str, named: pl.Series) -> pl.Series:
    """True where the firms that a guess names hold the document's own."""
    found = named.list.contains(frame["label"]).fill_null(False) & (frame["label"] != "")
    return found | _as_written(frame, column, named, ~found)


def _as_written(frame: pl.DataFrame, column: str, named: pl.Series, unsaid: pl.Series) -> pl.Series:
    """The guess is the document's own ticker; or, for a firm outside the universe, equals its ticker or name.

    The document's own ticker is right whoever the lists say held it then: the lists are not the truth.
    """
    outside = frame.select(_TRUTH).with_columns(frame[column], named.list.len().alias("found"))
    own = pl.Series(sorted(universe().by_label), dtype=pl.String)
    doubtful = (outside["found"].fill_null(0) == 0) & ~outside["label"].is_in(own.implode())
    doubtful |= (_plain(frame[column]) == _plain(frame["ticker"])).fill_null(False) & unsaid
    doubtful &= frame[column].is_not_null()
    right = np.zeros(frame.height, dtype=bool)
    at = doubtful.to_numpy().nonzero()[0]
    if at.size:
        right[at] = by_distinct(frame[at], [column, *_TRUTH, "on"], _matched).to_numpy()
    return pl.Series(right)


def _plain(tickers: pl.Series) -> pl.Series:
    """Tickers without case, blanks, a dollar sign and an exchange before a colon."""
    return tickers.str.split(":").list.last().str.strip_chars("$ ").str.to_uppercase()


def _matched(rows: Sequence[tuple[Any, ...]]) -> pl.Series:
    return pl.Series([matches(*row) for row in rows], dtype=pl.Boolean)


def _ranks(frame: pl.DataFrame, wanted: Bools) -> Ints:
    """The place of the first candidate that is right, from 1; 0 where none is."""
    ranks = np.zeros(frame.height, dtype=np.int64)
    at = wanted.nonzero()[0]
    kept = frame[at].select("said_candidates", "on", *_TRUTH).with_row_index("row")
    long = (
        kept.with_columns(pl.int_ranges(1, pl.col("said_candidates").list.len() + 1).alias("place"))
        .explode("said_candidates", "place")
        .filter(pl.col("said_candidates").is_not_null())
    )
    equal = long["said_candidates"] == long["label"]
    unsure = long.filter(~equal & ~long["said_candidates"].str.starts_with("cik:"))
    found = (
        [
            long.filter(equal),
            unsure.filter(_right(unsure, "said_candidates", _named(unsure, "said_candidates"))),
        ]
        if unsure.height
        else [long.filter(equal)]
    )
    best = pl.concat([f.select("row", "place") for f in found]).group_by("row").agg(pl.col("place").min())
    ranks[at[best["row"].to_numpy()]] = best["place"].to_numpy()
    return ranks
