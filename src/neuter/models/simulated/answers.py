"""What a simulated respondent writes: an answer in the form that the prompt asks for, or what became of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from neuter.models.simulated.asked_for import AskedFor
from neuter.models.simulated.forecasting import forecast, forgets
from neuter.models.simulated.knowledge import (
    chosen,
    date_share,
    knows_value,
    said_choice,
    said_date,
    said_firm,
    said_period,
    said_value,
    uniform,
)
from neuter.models.simulated.planted import Planted
from neuter.models.simulated.respondent import Respondent, wrong_firms

Finish = Literal["stop", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class Written:
    """A message as a server would return it: ``refusal`` is the field of that name, beside the content."""

    content: str | None
    finish: Finish = "stop"
    refusal: str | None = None


def answer(respondent: Respondent, planted: Planted, asked: AskedFor) -> Written | None:
    """The answer about a planted truth; None where the question asks for what the truth does not hold."""
    if asked.form == "line":
        return _as_it_comes(respondent, planted, _line_fields(respondent, planted, asked), is_json=False)
    make = _forecast_fields if asked.form == "forecast" else _json_fields
    named = make(respondent, planted, asked)
    return None if named is None else _as_it_comes(respondent, planted, named, is_json=True)


def prior(respondent: Respondent, asked: AskedFor) -> Written:
    """The one guess without a text: a large firm, and a quarter before the cutoff, by the seed alone."""
    seed = respondent.seed
    wrong = chosen(seed, "prior firm", "", wrong_firms())
    last = respondent.cutoff.year - 1 if respondent.cutoff else 2022
    year = last - int(uniform(seed, "prior year", "") * 10)
    quarter = chosen(seed, "prior quarter", "", (1, 2, 3, 4))
    day = date(year, quarter * 3 - 1, 1)
    fields = _identified(wrong.ticker, wrong.industry, (year, quarter), day, asked)
    return Written(_line(fields | ({"Confidence": "0"} if _says_confidence(respondent, asked) else {})))


# The fields of an answer


def _line_fields(respondent: Respondent, planted: Planted, asked: AskedFor) -> dict[str, str]:
    said = said_firm(respondent, planted)
    period, day = said_period(respondent, planted), said_date(respondent, planted)
    fields = _identified(said.firm, said.industry, period, day, asked)
    if _says_confidence(respondent, asked):
        fields["Confidence"] = f"{_sureness(respondent, said.chance):.0f}"
    return fields


def _identified(
    firm: str, industry: str, period: tuple[int, int] | None, day: date | None, asked: AskedFor
) -> dict[str, str]:
    fields = {"Company": firm, "Industry": industry}
    if asked.dated:
        return fields | {"Date": _us(day) if day else "unknown"}
    year, quarter = period or (None, None)
    return fields | {"Quarter": f"Q{quarter}" if quarter else "unknown", "Year": str(year or "unknown")}


def _json_fields(respondent: Respondent, planted: Planted, asked: AskedFor) -> dict[str, Any] | None:
    """``answer``, and what else is asked for; None where nothing of the kind was planted."""
    gone = forgets(respondent, planted, asked)
    # What is forgotten is as if it lay after the respondent's own cutoff.
    believing = replace(respondent, cutoff=asked.forget_from) if gone else respondent
    found = _date_said(believing, planted) if asked.dated else _value_said(believing, planted, asked)
    if found is None:
        return None
    said, chance = found
    if gone and uniform(respondent.seed, "withholds", planted.id) < respondent.withholds:
        return {"answer": None, **({"confidence": 0} if _says_confidence(respondent, asked) else {})}
    day = said_date(believing, planted) if asked.with_date else None
    fields: dict[str, Any] = {**({"date": _us(day)} if day else {}), "answer": said}
    if _says_confidence(respondent, asked):
        fields["confidence"] = round(_sureness(respondent, chance))
    return fields


def _date_said(respondent: Respondent, planted: Planted) -> tuple[object, float] | None:
    """A date, and how likely it is to be right."""
    day = said_date(respondent, planted)
    return None if day is None else (_us(day), date_share(respondent, planted))


def _value_said(respondent: Respondent, planted: Planted, asked: AskedFor) -> tuple[object, float] | None:
    """A word or a number, and how likely it is to be right."""
    known = knows_value(respondent, planted)
    if asked.choices:
        if not isinstance(planted.value, str):
            return None
        return said_choice(respondent, planted, asked.choices), 1.0 if known else 0.5
    value = said_value(respondent, planted)
    return None if value is None else (value, float(known))


def _forecast_fields(respondent: Respondent, planted: Planted, asked: AskedFor) -> dict[str, Any] | None:
    """The chain of thought, where one is asked for, and a probability; None where no outcome was planted."""
    made = forecast(respondent, planted, asked)
    if made is None:
        return None
    return {**({"reasoning": made.reasoning} if asked.thinks else {}), "probability": made.probability}


def _says_confidence(respondent: Respondent, asked: AskedFor) -> bool:
    return respondent.confidence and asked.confidence


def _sureness(respondent: Respondent, chance: float) -> float:
    """How sure it says it is, from 0 to 100, where ``chance`` is how likely it is to be right."""
    more = respondent.overconfidence
    return 100 * (chance + more * (1 - chance) if more >= 0 else chance * (1 + more))


def _us(day: date) -> str:
    return f"{day.month:02d}/{day.day:02d}/{day.year:04d}"


# What becomes of it


def _as_it_comes(
    respondent: Respondent, planted: Planted, fields: Mapping[str, Any], *, is_json: bool
) -> Written:
    """One draw decides the outcome, whatever the answer would have been."""
    plain = json.dumps(fields) if is_json else _line(fields)
    draw = uniform(respondent.seed, "outcome", planted.id)
    for share, make in (
        (respondent.refusals, _refused),
        (respondent.filtered, _filtered),
        (respondent.truncated, _truncated),
        (respondent.malformed, _malformed),
    ):
        if draw < share:
            return make(respondent.seed, planted.id, plain, fields, is_json)
        draw -= share
    return Written(plain)


def _refused(seed: int, id_: str, plain: str, fields: Mapping[str, Any], is_json: bool) -> Written:  # noqa: ARG001
    if is_json:
        asked = "probability" if "probability" in fields else "answer"
        return Written(json.dumps({**fields, asked: None}))
    said = "I'm sorry, but I can't identify the company from this text."
    # Some servers have a field for it, others send it as any answer.
    return chosen(seed, "refusal", id_, (Written(said), Written(None, refusal=said)))


def _filtered(*_: Any) -> Written:
    return Written(None, "content_filter")


def _truncated(seed: int, id_: str, plain: str, fields: Mapping[str, Any], is_json: bool) -> Written:
    """Cut off somewhere before the last field, which is never complete."""
    last = list(fields)[-1]
    end = plain.index(f'"{last}"' if is_json else f"{last} Estimate")
    return Written(plain[: 1 + int(uniform(seed, "cut", id_) * max(1, end - 1))], "length")


def _malformed(seed: int, id_: str, plain: str, fields: Mapping[str, Any], is_json: bool) -> Written:
    kinds = JSON_KINDS if is_json else LINE_KINDS
    return Written(chosen(seed, "malformed", id_, list(kinds.values()))(plain, fields))


def _line(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} Estimate: {value}" for name, value in fields.items())


def _bold(_: str, fields: Mapping[str, Any]) -> str:
    lines = "\n".join(f"**{name} Estimate:** {value}" for name, value in fields.items())
    return f"Sure! Here is my best estimate:\n\n{lines}"


def _labels(_: str, fields: Mapping[str, Any]) -> str:
    names = {"Company": "Ticker", "Industry": "Sector", "Quarter": "Fiscal Quarter", "Year": "Fiscal Year"}
    return "\n".join(f"{names.get(name, name)}: {value}" for name, value in fields.items())


def _object(_: str, fields: Mapping[str, Any]) -> str:
    return json.dumps({name.lower(): value for name, value in fields.items()}, indent=2)


def _fenced(plain: str, _: Mapping[str, Any]) -> str:
    return f"```\n{plain}\n```"


def _fenced_json(plain: str, _: Mapping[str, Any]) -> str:
    return f"Here is the answer:\n```json\n{plain}\n```"


def _thought(plain: str, _: Mapping[str, Any]) -> str:
    doubt = "It might be Company Estimate: GE, Quarter Estimate: Q1, Year Estimate: 1999. No, it is not."
    return f"<think>{doubt}</think>\n{plain}"


def _prose(_: str, fields: Mapping[str, Any]) -> str:
    told = " and ".join(str(value) for value in fields.values())
    return f"Going by its tone I would say {told}, though the placeholders hide a good deal."


_Form = Callable[[str, Mapping[str, Any]], str]
#: Malformed answers, by kind. The parser is to read the same content from all but ``prose``.
LINE_KINDS: Mapping[str, _Form] = {
    "bold": _bold,
    "labels": _labels,
    "json": _object,
    "fence": _fenced,
    "thought": _thought,
    "prose": _prose,
}
JSON_KINDS: Mapping[str, _Form] = {"fence": _fenced_json, "thought": _thought, "prose": _prose}
