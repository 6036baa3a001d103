from __future__ import annotations

import base64
import hashlib
import json
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest

from neuter.errors import RunError
from neuter.reports.recall.report import tables_html, to_html, write_html, write_recall_report
from neuter.reports.recall.tables import recall_tables

BAD = "</td><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}} red \x1b[31m evil \u202etxt"


class Page(HTMLParser):
    """What a browser would see: elements with attributes, and the text outside of style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.style, self.text, self._inside = "", "", ""
        self.feed(html)
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        self.text += " "

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        self.text += " "

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.style += data
        else:
            self.text += data


def _rows(make) -> list[dict]:
    known = {"refused": 2, "unparsed": 1, "answered": 97}
    rows = [make.row("mean_percent_error", 0.3, ci_low=0.1, ci_high=0.5)]
    rows += [
        make.row("mean_absolute_percent_error", 0.6),
        make.row("mean_absolute_percent_error", 9.0, split="post"),
    ]
    rows += [make.row("refusals", 2, unit="count", split="all", n=100, **known)]
    rows += [
        make.row(
            "effective_cutoff",
            2023.75,
            split="all",
            ci_low=2023.5,
            ci_high=2024.0,
            series="all",
            unit="years",
        )
    ]
    return rows


def _folder(make, bad: str = "I cannot say", count: int = 1, **run) -> Path:
    asked = [
        make.question(date(2000 + k // 300, 1 + k // 28 % 12, 1 + k % 28), 100.0) for k in range(count + 2)
    ]
    pairs = [(asked[0], make.answer(asked[0], 101.0)), (asked[1], make.answer(asked[1], None))]
    said = {"outcome": "unparsed", "answer": bad, "reason": f"no number: {bad}"}
    pairs += [({**one, "prompt": f"asked: {bad}"}, make.answer(one, None, **said)) for one in asked[2:]]
    return make.folder(_rows(make), pairs, make.run(**run))


def test_the_page_says_the_result_in_words_first_then_in_tables(make) -> None:
    page = Page(to_html(_folder(make, outcomes={"answered": 97, "refused": 2, "unparsed": 1})))
    openai = "openai/gpt-4o-2024-08-06 (training cutoff 2023-10-01) was asked 100 questions"
    assert openai in page.text
    assert (
        "Daily levels: before its cutoff the model is off by 0.60% on average (SP500); after it 9.00%."
        in page.text
    )
    broken = "recall breaks in 2023-10 (95% interval 2023-07 to 2024-01); the stated cutoff is 2023-10-01"
    assert broken in page.text
    assert "3 of 100 questions (3.0%) have no usable answer: 2 refused and 1 unparsed" in page.text
    assert page.text.index(openai) < page.text.index("Table 2: Evaluation Metrics for Market Indices")
    for told in (
        "0.30 [0.10, 0.50]",
        "GPT-4o 0.12 0.61",
        "A note of the run.",
        "feedbeef",
        "0123abcd",
        "closes that ship",
    ):
        assert told in page.text
    assert "2023-10-01 (the maker's page, checked 2026-10-01)" in page.text


def test_money_is_told(make) -> None:
    spent = {
        make.model: {
            "attempts": 2,
            "answered": 2,
            "cost": 3.2,
            "prompt_tokens": 10,
            "price_as_of": "2026-10-01",
        }
    }
    assert "$3.20 (prices as of 2026-10-01)" in Page(to_html(_folder(make, spent=spent))).text


def test_the_page_has_a_drawing_with_its_caption(make) -> None:
    page = Page(to_html(_folder(make)))
    assert [tag for tag, _ in page.elements].count("svg") == 1
    assert (
        "Figure 1: Recall of exact numerical levels of market indices (openai/gpt-4o-2024-08-06)."
        in page.text
    )


def test_nothing_points_outside_the_file_and_no_script_may_run(make) -> None:
    page = Page(to_html(_folder(make)))
    for tag, attributes in page.elements:
        assert tag != "script"
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            target = attributes.get(name)
            assert target is None or target.startswith("#") or target == "data:,", (tag, name, target)
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert f"style-src 'sha256-{digest}'" in policy
    assert "unsafe-inline'" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert "http" not in policy + page.style


def test_ids_are_unique(make) -> None:
    ids = [a["id"] for _, a in Page(to_html(_folder(make))).elements if a.get("id")]
    assert len(ids) == len(set(ids))


def test_a_hostile_answer_prompt_name_and_note_stay_text(make) -> None:
    more = {"name": BAD, "notes": [BAD], "status": BAD, "config_hash": BAD, "models": [BAD]}
    more |= {
        "not_run": [{"attacker": BAD, "model": BAD, "reason": BAD}],
        "versions": {BAD: BAD},
        "config": {BAD: BAD},
    }
    more |= {"data": {BAD: {"source": BAD, "hash": BAD}}, "cutoff_sources": {make.model: BAD}}
    more |= {"caveats": [{"model": make.model, "text": BAD}]}
    html = to_html(_folder(make, BAD, **more))
    page = Page(html)
    assert not [tag for tag, _ in page.elements if tag in ("script", "img", "iframe")]
    assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    assert page.text.count("<script>alert(1)</script>") >= 12
    assert "{{7*7}}" in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)


def test_answers_that_could_not_be_used_are_listed_with_their_prompts_and_refusals_are_not(make) -> None:
    page = Page(to_html(_folder(make, "no idea", count=3)))
    assert "Answers that could not be used (3)" in page.text
    assert page.text.count("asked: no idea") == 3
    assert page.text.count("no number: no idea") == 3
    assert '{"answer": null}' not in page.text


def test_of_many_the_first_200_are_listed_and_all_are_counted(make) -> None:
    page = Page(to_html(_folder(make, "no idea", count=230)))
    assert "Answers that could not be used (230)" in page.text
    assert "The first 200;" in page.text
    assert page.text.count("asked: no idea") == 200


def test_a_run_that_asked_nobody_has_a_page(make) -> None:
    known = {"suite": "summary", "split": "all", "attacker": "", "model": "", "panel": "indices_daily"}
    folder = make.folder(
        [make.row("mean_return", 0.04, **known)], run=make.run("summary", models=[], outcomes={})
    )
    page = Page(to_html(folder))
    assert "No model was asked." in page.text
    assert "SP500 Daily 0.04" in page.text
    assert "Figures" not in page.text


def test_a_run_without_scores_has_a_page_that_says_so(make) -> None:
    page = Page(to_html(make.folder([], run=make.run(status="interrupted"))))
    assert "There is nothing to tell yet" in page.text
    assert "The run was interrupted: its figures are not final." in page.text
    assert [a for tag, a in page.elements if tag == "p" and a.get("class") == "warn"]
    done = Page(to_html(make.folder([], run=make.run())))
    assert not [a for tag, a in done.elements if tag == "p" and a.get("class") == "warn"]


def test_the_report_has_figures_and_tables_beside_it(make) -> None:
    path = write_recall_report(_folder(make))
    names = {file.relative_to(path.parent).as_posix() for file in path.parent.rglob("*") if file.is_file()}
    assert path.name == "report.html"
    assert {
        "figures/figure-1.svg",
        "figures/figure-1.png",
        "tables/table-2.tex",
        "tables/outcomes.tex",
    } <= names


def test_the_file_is_whole_or_absent(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "report.html"
    target.write_text("the old one")
    folder = _folder(make)
    monkeypatch.setattr("neuter.whole_files.os.fsync", full)
    with pytest.raises(RunError, match="No space left"):
        write_html(folder, target)
    assert target.read_text() == "the old one"


@pytest.mark.parametrize("name", ["questions.parquet", "answers/sp500--openai_gpt-4o-2024-08-06.parquet"])
def test_a_damaged_file_is_named(make, name: str) -> None:
    folder = _folder(make)
    (folder / name).write_bytes(b"PAR1 not at all")
    with pytest.raises(RunError, match="cannot be read") as caught:
        to_html(folder)
    assert str(folder / name) in str(caught.value)


def test_a_notebooks_table_is_the_table_alone(make) -> None:
    html = tables_html(
        recall_tables(make.scores(_rows(make)), make.run()), [{"model": "a/x", "reason": "no key"}]
    )
    page = Page(html)
    assert not [tag for tag, _ in page.elements if tag in ("html", "style", "script")]
    assert not [a for _, a in page.elements if a.get("id")]
    assert "0.30 [0.10, 0.50]" in page.text
    assert page.text.endswith(" a/x: not run: no key")


def test_json_of_the_run_is_not_touched(make) -> None:
    folder = _folder(make)
    before = (folder / "run.json").read_bytes()
    write_recall_report(folder)
    assert (folder / "run.json").read_bytes() == before
    assert json.loads(before)["suite"] == "indices"
