"""``neuter.evaluate``: which scheme hides firm and period best, on this corpus, from these attackers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuter.api import asking
from neuter.api.asked_models import check_before, goes_on, masker_of
from neuter.api.option_names import check_options, names_of
from neuter.api.reaching import reaching_for
from neuter.suites.plan import Plan, SizeAsOf, needs_model, quiet
from neuter.suites.spending import spending
from neuter.types import Attacker, Progress, Scheme

if TYPE_CHECKING:
    from neuter.reports import Evaluation

DEFAULT_SCHEMES = ("none", "presidio", "rules")
DEFAULT_ATTACKERS = ("linkage", "prior")


def evaluate(
    corpus: Any,
    *,
    schemes: str | Scheme | Sequence[str | Scheme] = DEFAULT_SCHEMES,
    attackers: str | Attacker | Sequence[str | Attacker] | None = None,
    models: str | Sequence[str] = (),
    masker: str | None = None,
    reference: Any = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    seed: int = 0,
    full_masked_reference: bool = False,
    model_sample: int | None = None,
    breakpoints: str | Path | None = None,
    size_as_of: SizeAsOf = "month",
    firms: str | Path | Sequence[str | Path] | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    store: str | Path | None = None,
    config: str | Path | None = None,
    max_cost: float | None = None,
    max_requests: int | None = None,
    max_minutes: float | None = None,
    retry: str | Iterable[str] = (),
    batch: bool = False,
    progress: Progress = quiet,
    arguments: Mapping[str, Any] | None = None,
    **reading: Any,
) -> Evaluation:
    """Mask ``corpus`` with each scheme, attack each, score by firm and size, and write a report.

    Args:
        corpus: a corpus, or anything that :func:`neuter.read_corpus` takes; ``reading`` goes to it.
        schemes: names, ``path/to/mine.py:Class``, or instances.
        attackers: the same; by default ``linkage`` and ``prior``, and ``llm`` where a model is at hand.
        models: ``PROVIDER/NAME``; by default the embedded model where ``neuter[local]`` is installed.
        masker: the model that masks, for schemes that need one; by default the first of ``models``.
        reference: a corpus that the linkage attacker may know instead of this one's own texts.
        out: the run folder; by default ``neuter-runs/CORPUS-HASH``. The same call goes on where it stopped.
        full_masked_reference: mask the linkage attacker's whole reference too (all documents, all their text), instead
            of giving it the texts as this run masks them: a somewhat stronger attack, as slow as that masking.
        model_sample: documents that a model is asked about, stratified by size; 0 for all; by default all,
            and 8 for ``local/`` models.
        breakpoints: a CSV of market-cap percentiles instead of the shipped one, or "corpus" for the corpus's own.
        size_as_of: "month", or "year" for one size a firm and calendar year, as of the year's start.
        firms: files of the user's own firms, beside those that ship (:func:`neuter.firms.use_firms`).
        parameters: constructor parameters by scheme's or attacker's name.
        max_cost: US dollars that the run may spend, all its resumptions together.
        max_requests: requests that it may send, likewise, repeated ones among them.
        max_minutes: minutes that this call may take for asking.
        retry: outcomes that are asked again, of refused, filtered, truncated, unparsed (failed calls always are).
        batch: through the provider's batch API: cheaper, and within a day instead of at once.

    Returns:
        The evaluation: ``.table(by="size")``, ``.scores``, ``.to_pandas()``, ``.plot()``, ``.to_html(path)``;
        ``.asked`` says what this call asked and spent.

    Raises:
        LimitReached: a limit stopped the run; the same call with a higher one goes on.
        NeuterError: one of its kinds, with what was wrong, where, and what to do.
    """
    from neuter.corpus import read_corpus
    from neuter.reports import Evaluation, write_report
    from neuter.suites.evaluation import run_evaluation

    spent = spending(max_cost, max_requests, max_minutes, retry, batch)
    check_options(reading, names_of(evaluate, read_corpus), whose="neuter.evaluate", command="evaluate")
    with asking.own_firms(firms):
        read = asking.a_corpus(corpus, **({**reading, "seed": seed} if reading.get("sample") else reading))
        chosen_models, chosen_attackers, required = choose(attackers, models)
        made_schemes = asking.schemes(schemes, parameters)
        made_attackers = asking.attackers(chosen_attackers, parameters)
        plan = Plan(
            corpus=read,
            schemes=made_schemes,
            attackers=made_attackers,
            models=chosen_models if any(map(needs_model, made_attackers)) else (),
            masker=masker_of(made_schemes, masker, chosen_models),
            reference=None if reference is None else asking.a_corpus(reference),
            full_masked_reference=full_masked_reference,
            model_sample=model_sample,
            breakpoints=asking.breakpoints(breakpoints),
            size_as_of=asking.size_as_of(size_as_of),
            seed=seed,
            required=required | frozenset(asking.several(masker)),
            progress=progress,
            spending=spent,
        )
        configuration = plan.configuration()
        path = asking.run_path(out, _stem(read.name), configuration)
        _check_models(
            plan,
            {*asking.several(models), *asking.several(masker)},
            asking.path(config),
            goes_on(path, configuration, overwrite=overwrite),
        )
        reads = [*read.source.files, *(plan.reference.source.files if plan.reference else ())]
        with asking.run_folder(
            path, configuration, command="evaluate", overwrite=overwrite, reads=reads
        ) as folder:
            folder.save(arguments=dict(arguments or {}))
            with reaching_for(folder, asking.path(store), asking.path(config), spent, progress) as reached:
                run_evaluation(replace(plan, connect=reached), folder)
            progress("report", 0, None)
            write_report(path, originals=read)
            return Evaluation(path, originals=read, asked=reached.sentence)


def _check_models(plan: Plan, named: set[str], config: Path | None, resumed: bool) -> None:
    """Refuse what the user named and nobody can ask, before a document is masked.

    The embedded model that is taken where nobody names one is only noted if it cannot be used.
    """
    asked = {*plan.models, *asking.several(plan.masker)}
    check_before(named, asked, config, plan.spending, goes_on=resumed)


def choose(
    attackers: str | Attacker | Sequence[str | Attacker] | None, models: str | Sequence[str]
) -> tuple[tuple[str, ...], tuple[str | Attacker, ...], frozenset[str]]:
    """Models, attackers, and what the user asked for by name."""
    asked, attacking = asking.several(models), asking.several(attackers)
    named = frozenset({*asked, *(a if isinstance(a, str) else a.name for a in attacking)})
    chosen = asked or asking.models_at_hand()
    if attackers is not None:
        return chosen, attacking, named
    return chosen, (*DEFAULT_ATTACKERS, *(("llm",) if chosen else ())), named


def _stem(name: str) -> str:
    from neuter.suites.run_folder import slug

    return slug(Path(name).stem if "/" in name else name.removeprefix("corpora:"))
