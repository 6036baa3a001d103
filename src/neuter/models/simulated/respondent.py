"""A simulated respondent's settings: what it knows, how it errs, and how ``simulated/SPEC`` says so."""

from __future__ import annotations

import difflib
import hashlib
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from neuter.errors import UsageError
from neuter.models.simulated.planted import Planted

Reading = Literal["fiscal", "calendar", "call"]
Prices = Literal["traded", "split_adjusted"]
Vintage = Literal["first", "latest"]
#: A change in how answers follow from settings makes another model, whose stored answers are not taken for these.
VERSION = 1
#: A wrong year is at most this many years off, so that ``noise`` is a mean that can be reached exactly.
MOST_YEARS_OFF = 21
LONGEST_DELAY = 60.0


@dataclass(frozen=True, slots=True)
class Respondent:
    """A respondent with planted knowledge. Shares are between 0 and 1; every draw follows from ``seed``.

    Attributes:
        firms: share of firms known; drawn by firm, so that all documents of a firm are alike.
        large, mid, small: the same for documents of that size, in place of ``firms``.
        slips: share of documents of a known firm that it takes for another firm.
        lucky: share of documents of an unknown firm that it finds nevertheless.
        years: share of documents whose year is known.
        correlation: of that knowledge between two documents of a firm. A document follows its firm's draw with
            probability √correlation, else a draw of its own, so the share stays ``years``.
        quarters: share of known years whose quarter is known too.
        reading: which year and quarter it believes in: the fiscal one, the calendar quarter of the period's end,
            or that of the call's date.
        dates: share of dated texts whose exact date is known. Of the others, the year may be known (``years``).
        values: share of numbers that are known exactly.
        cutoff: nothing of this day or later is known; wrong years there are too early.
        noise: how many years a wrong year is off on average, from 1 to 21.
        early: share of wrong years that are too early.
        value_noise: relative standard deviation of a number that is not known.
        late_noise: the same from the cutoff on, in place of ``value_noise``.
        prices: which close of a stock it knows, ``traded`` or ``split_adjusted``.
        vintage: which print of a macro series it knows, ``first`` or ``latest``; where a question holds another for
            right, that one's value is what it says.
        compliance: share of questions (or points of a series) that it truly takes for unknown where a prompt tells it
            to forget what came after a day.
        system_compliance: the same where only the system message says so; by default ``compliance``.
        withholds: share of forgotten values that it refuses to give (null), in place of an answer with the late noise.
        sureness: the probability that it gives to an outcome that it knows (``values``).
        skill: how much better than chance its other forecasts are: they are on the right side of one half in
            (1 + skill) / 2 of the questions.
        jitter: how far a run's forecast may be from that, either way.
        disrupts: share of known outcomes that a chain of thought loses where nothing is to be forgotten.
        thinks: how much a chain of thought adds to ``skill``.
        clean: share of the chains of thought that use a known outcome without naming what came.
        reasoning: whether it counts as a model that was trained to reason.
        refusals, filtered, truncated, malformed: shares of documents with these outcomes; together at most 1.
            Malformed answers hold the same content in another form; one kind in six has no form at all.
        confidence: whether it says how sure it is, where a prompt asks.
        overconfidence: 0 says the chance of being right, 1 always 100, -1 always 0; linear in between.
        delay: seconds for each answer.
    """

    firms: float = 0.5
    large: float | None = None
    mid: float | None = None
    small: float | None = None
    slips: float = 0.0
    lucky: float = 0.0
    years: float = 0.5
    correlation: float = 0.5
    quarters: float = 0.5
    reading: Reading = "fiscal"
    dates: float = 0.25
    values: float = 0.5
    cutoff: date | None = None
    noise: float = 2.0
    early: float = 0.5
    value_noise: float = 0.1
    late_noise: float | None = None
    prices: Prices = "traded"
    vintage: Vintage | None = None
    compliance: float = 0.0
    system_compliance: float | None = None
    withholds: float = 0.0
    sureness: float = 0.95
    skill: float = 0.2
    jitter: float = 0.02
    disrupts: float = 0.0
    thinks: float = 0.0
    clean: float = 0.5
    reasoning: bool = False
    refusals: float = 0.0
    filtered: float = 0.0
    truncated: float = 0.0
    malformed: float = 0.0
    confidence: bool = True
    overconfidence: float = 0.0
    delay: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in _SHARES:
            _check_range(name, getattr(self, name), 0.0, 1.0)
        _check_range("noise", self.noise, 1.0, float(MOST_YEARS_OFF))
        _check_range("value_noise", self.value_noise, 1e-6, 100.0)
        _check_range("late_noise", self.late_noise, 1e-6, 100.0)
        _check_range("overconfidence", self.overconfidence, -1.0, 1.0)
        _check_range("sureness", self.sureness, 0.5, 1.0)
        _check_range("jitter", self.jitter, 0.0, 0.5)
        _check_range("delay", self.delay, 0.0, LONGEST_DELAY)
        _check_word("reading", self.reading, get_args(Reading))
        _check_word("prices", self.prices, get_args(Prices))
        if self.vintage is not None:
            _check_word("vintage", self.vintage, get_args(Vintage))
        unanswered = self.refusals + self.filtered + self.truncated + self.malformed
        if unanswered > 1 + 1e-9:
            raise UsageError(
                f"refusals, filtered, truncated and malformed come to {unanswered:g}",
                todo="They are shares of the same documents: together at most 1",
            )

    @property
    def spec(self) -> str:
        """What differs from the defaults, as a SPEC in one canonical form.

        >>> Respondent(years=0.70, firms=1, cutoff=date(2023, 10, 1)).spec
        'firms=1,years=0.7,cutoff=2023-10-01'
        """
        default = Respondent()
        changed = [f.name for f in fields(self) if getattr(self, f.name) != getattr(default, f.name)]
        return ",".join(f"{name}={_written(getattr(self, name))}" for name in changed) or "defaults"

    @property
    def base_url(self) -> str:
        """Where it stands in the store's keys: version, a digest of ALL settings and of the shipped data, spec."""
        told = f"{VERSION} {sorted(asdict(self).items())!r} {_shipped()!r}"
        return f"simulated://{VERSION}-{hashlib.sha256(told.encode()).hexdigest()[:8]}/{self.spec}"

    def expected(self, planted: Iterable[Planted]) -> dict[str, dict[str, float]]:
        """Metric, then document id: the probability of being right given that it is answered.

        Unconditional on the draws: over all seeds. Shares from 0 to 1; differences are expected years or days.
        See :func:`neuter.models.simulated.expected.expected`.
        """
        from neuter.models.simulated.expected import expected

        return expected(self, planted)


_KNOWN = (
    "firms",
    "large",
    "mid",
    "small",
    "slips",
    "lucky",
    "years",
    "correlation",
    "quarters",
    "dates",
    "values",
)
_FORGETTING = ("compliance", "system_compliance", "withholds", "skill", "disrupts", "thinks", "clean")
_SHARES = (*_KNOWN, *_FORGETTING, "early", "refusals", "filtered", "truncated", "malformed")


def respondent_of(model: str) -> Respondent:
    """The respondent that ``simulated/SPEC`` describes: a preset, settings, or a preset and then settings.

    >>> respondent_of("simulated/firms=0.6,seed=3").firms
    0.6
    >>> respondent_of("simulated/well-read,refusals=0.1").refusals
    0.1

    Raises:
        UsageError: an unknown preset or setting, or a value that does not fit; the message names the nearest.
    """
    spec = model.partition("/")[2].strip()
    if not spec:
        raise UsageError("no settings", where=repr(model), todo=_EXAMPLE)
    first, *rest = (part.strip() for part in spec.split(","))
    try:
        if "=" in first or first == "defaults":
            return Respondent(**_settings([part for part in (first, *rest) if part != "defaults"]))
        return Respondent(**{**_preset(first), **_settings(rest)})
    except UsageError as error:
        raise UsageError(error.what, where=repr(model), todo=error.todo) from None


def presets() -> dict[str, str]:
    """Names of the presets, each with a word on it."""
    return {name: str(table["note"]) for name, table in _shipped()["presets"].items()}


@dataclass(frozen=True, slots=True)
class WrongFirm:
    """A firm to name in place of one that is not known; ``label`` is as in ``neuter.firms``."""

    ticker: str
    label: str
    industry: str


@cache
def wrong_firms() -> tuple[WrongFirm, ...]:
    """The fixed list of well-known firms in ``presets.toml``."""
    return tuple(WrongFirm(w["ticker"], f"cik:{w['cik']:010d}", w["industry"]) for w in _shipped()["wrong"])


_EXAMPLE = "Write a preset, settings, or both: simulated/well-read,firms=0.6,seed=3"


@cache
def _shipped() -> Mapping[str, Any]:
    return tomllib.loads((files("neuter.models.simulated") / "presets.toml").read_text(encoding="utf-8"))


def _preset(name: str) -> dict[str, Any]:
    tables = _shipped()["presets"]
    if name not in tables:
        known = [*tables, *_READERS]
        raise UsageError(f"no preset {name!r}", todo=f"{_nearest(name, known)} {_EXAMPLE}")
    table = {key: str(value) for key, value in tables[name].items() if key != "note"}
    return _settings([f"{key}={value}" for key, value in table.items()])


def _settings(parts: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            what = "comes first" if name in _shipped()["presets"] else "is no setting"
            raise UsageError(f"{part!r} {what}", todo=_EXAMPLE)
        if name not in _READERS:
            raise UsageError(f"unknown setting {name!r}", todo=_nearest(name, _READERS))
        if name in found:
            raise UsageError(f"{name} is set twice", todo="Set it once")
        found[name] = _READERS[name](name, value)
    return found


def _nearest(name: str, known: Iterable[str]) -> str:
    known = list(known)
    near = difflib.get_close_matches(name[:50], known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]}?" if near else f"Known: {_listed(known)}."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _no_value(name: str, value: object) -> str:
    shown = str(value)
    return f"{name} = {shown[:40]}{'…' if len(shown) > 40 else ''} does not fit"


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise UsageError(_no_value(name, value), todo="Give a number, such as 0.6") from None


def _share_or_none(name: str, value: str) -> float | None:
    return None if value == "none" else _number(name, value)


def _word(_name: str, value: str) -> str:
    return value


def _word_or_none(_name: str, value: str) -> str | None:
    return None if value == "none" else value


def _switch(name: str, value: str) -> bool:
    if value not in {"on", "off"}:
        raise UsageError(_no_value(name, value), todo="Write on or off")
    return value == "on"


def _whole(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise UsageError(_no_value(name, value), todo="Give a whole number") from None


def _day(name: str, value: str) -> date | None:
    if value == "none":
        return None
    try:
        return date.fromisoformat(f"{value}-01" if len(value) == 7 else value)
    except ValueError:
        raise UsageError(_no_value(name, value), todo="Write YYYY-MM or YYYY-MM-DD") from None


_READERS: Mapping[str, Callable[[str, str], Any]] = {
    field.name: {
        "large": _share_or_none,
        "mid": _share_or_none,
        "small": _share_or_none,
        "late_noise": _share_or_none,
        "system_compliance": _share_or_none,
        "reasoning": _switch,
        "reading": _word,
        "prices": _word,
        "vintage": _word_or_none,
        "cutoff": _day,
        "confidence": _switch,
        "seed": _whole,
    }.get(field.name, _number)
    for field in fields(Respondent)
}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _check_word(name: str, value: str, among: tuple[str, ...]) -> None:
    if value not in among:
        raise UsageError(_no_value(name, value), todo=f"Known: {_listed(among)}")


def _check_range(name: str, value: float | None, low: float, high: float) -> None:
    if value is None:
        return
    if not math.isfinite(value) or not low <= value <= high:
        hint = f" Write {value / 100:g} for {value:g}%." if high == 1 and 1 < value <= 100 else ""
        raise UsageError(_no_value(name, value), todo=f"Give a number from {low:g} to {high:g}.{hint}")
