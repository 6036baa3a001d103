"""Firms: the shipped universe, which firm a guess names, fiscal and calendar periods, size terciles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.firms.corpus_firms import firms_with_at_least as firms_with_at_least
    from neuter.firms.fiscal_years import YearEnds as YearEnds
    from neuter.firms.fiscal_years import known_year_end as known_year_end
    from neuter.firms.fiscal_years import year_ends as year_ends
    from neuter.firms.labels import display_name as display_name
    from neuter.firms.labels import firm_label as firm_label
    from neuter.firms.labels import firm_label_of as firm_label_of
    from neuter.firms.labels import known_names as known_names
    from neuter.firms.labels import labels_of as labels_of
    from neuter.firms.matching import resolve as resolve
    from neuter.firms.matching import resolve_many as resolve_many
    from neuter.firms.matching import same_firm as same_firm
    from neuter.firms.own import firms_hash as firms_hash
    from neuter.firms.own import firms_in_use as firms_in_use
    from neuter.firms.own import read_firms_file as read_firms_file
    from neuter.firms.own import use_firms as use_firms
    from neuter.firms.periods import assumed_date as assumed_date
    from neuter.firms.periods import days_of as days_of
    from neuter.firms.periods import period_end as period_end
    from neuter.firms.periods import period_ends as period_ends
    from neuter.firms.relations import Relation as Relation
    from neuter.firms.relations import relation as relation
    from neuter.firms.relations import relations_of as relations_of
    from neuter.firms.resampling import Resample as Resample
    from neuter.firms.resampling import resample as resample
    from neuter.firms.sectors import same_sector as same_sector
    from neuter.firms.sectors import sectors_of as sectors_of
    from neuter.firms.sizes import SizeAssignment as SizeAssignment
    from neuter.firms.sizes import assign_sizes as assign_sizes

_HOME = {
    "firm_label": "labels",
    "firm_label_of": "labels",
    "labels_of": "labels",
    "display_name": "labels",
    "known_names": "labels",
    "same_firm": "matching",
    "resolve": "matching",
    "resolve_many": "matching",
    "use_firms": "own",
    "firms_in_use": "own",
    "firms_hash": "own",
    "read_firms_file": "own",
    "assign_sizes": "sizes",
    "SizeAssignment": "sizes",
    "Resample": "resampling",
    "resample": "resampling",
    "assumed_date": "periods",
    "days_of": "periods",
    "period_end": "periods",
    "period_ends": "periods",
    "YearEnds": "fiscal_years",
    "known_year_end": "fiscal_years",
    "year_ends": "fiscal_years",
    "Relation": "relations",
    "relation": "relations",
    "relations_of": "relations",
    "same_sector": "sectors",
    "sectors_of": "sectors",
    "firms_with_at_least": "corpus_firms",
}

__all__ = sorted(_HOME)  # noqa: PLE0605

__getattr__, __dir__ = lazily(__name__, _HOME)
