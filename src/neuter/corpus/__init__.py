"""Reading, checking and writing corpora, key files and the data that ships. Names load when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neuter.lazily import lazily

if TYPE_CHECKING:
    from neuter.corpus.accepting import prove as prove
    from neuter.corpus.accepting import usable as usable
    from neuter.corpus.checking import CheckReport as CheckReport
    from neuter.corpus.checking import check_corpus as check_corpus
    from neuter.corpus.corpus import Corpus as Corpus
    from neuter.corpus.fields import Problem as Problem
    from neuter.corpus.masked import MaskedCorpus as MaskedCorpus
    from neuter.corpus.masked import read_masked as read_masked
    from neuter.corpus.reading import read_corpus as read_corpus
    from neuter.corpus.restoring import restore as restore
    from neuter.corpus.shipped import ShippedCorpus as ShippedCorpus
    from neuter.corpus.shipped import ShippedFile as ShippedFile
    from neuter.corpus.shipped import shipped_corpora as shipped_corpora
    from neuter.corpus.unmasking import unmask_corpus as unmask_corpus
    from neuter.corpus.writing import WriteSummary as WriteSummary
    from neuter.corpus.writing import write_masked as write_masked

_HOME = {
    "read_corpus": "reading",
    "Corpus": "corpus",
    "Problem": "fields",
    "check_corpus": "checking",
    "CheckReport": "checking",
    "write_masked": "writing",
    "usable": "accepting",
    "prove": "accepting",
    "WriteSummary": "writing",
    "read_masked": "masked",
    "MaskedCorpus": "masked",
    "unmask_corpus": "unmasking",
    "restore": "restoring",
    "shipped_corpora": "shipped",
    "ShippedCorpus": "shipped",
    "ShippedFile": "shipped",
}

__all__ = list(_HOME)

__getattr__, __dir__ = lazily(__name__, _HOME)
