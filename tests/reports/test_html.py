from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from synthetic_run import HOSTILE

from neuter.errors import RunError
from neuter.reports.html import to_html, write_html, write_report
from neuter.reports.run_view import load_run


class Page(HTMLParser):
    """What a browser would see: elements, the text of each script and style, and all attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside].append(data)
        else:
            self.text += data


@pytest.fixture(scope="module")
def page(run) -> Page:
    return Page(to_html(load_run(run.folder)))


@pytest.fixture(scope="module")
def hostile_html(hostile) -> str:
    return to_html(load_run(hostile.folder))


def test_the_page_says_the_result_in_words_and_in_rows(page: Page) -> None:
    text = " ".join(page.text.split())
    assert "96 documents of invented were masked with 3 schemes (none, presidio and rules)" in text
    assert "linkage found the firm in 97.9% of 96 documents" in text
    for group in ("Large", "Mid", "Small"):
        assert f"linkage {group} 32" in text
    assert "60 of 96 documents are here" in text
    assert "not run: no key in OPENAI_API_KEY" in text
    assert "the analyzer gave up on this text" in text
    assert "Sizes come from the NYSE breakpoints of 2021-06." in text
    assert "sha256:feedbeef" in text


def test_the_small_models_warning_stands_in_its_rows(page: Page) -> None:
    assert page.text.count("knows little finance") >= 6


def test_nothing_points_outside_the_file(page: Page) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            target = attributes.get(name)
            assert target is None or target.startswith("#") or target == "data:,", (tag, name, target)
    assert "http" not in "".join(page.raw["style"] + [page.raw["script"][-1]])


def test_the_policy_allows_this_script_and_style_only(page: Page) -> None:
    policy = next(a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    for kind, text in (("script", page.raw["script"][-1]), ("style", "".join(page.raw["style"]))):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "script-src 'unsafe" not in policy


def test_every_control_has_a_label(page: Page) -> None:
    labels = {a["for"] for t, a in page.elements if t == "label"}
    controls = [a for t, a in page.elements if t in ("select", "input")]
    assert controls
    assert all(a.get("id") in labels for a in controls)


def test_ids_are_unique(page: Page) -> None:
    ids = [a["id"] for _, a in page.elements if a.get("id")]
    assert len(ids) == len(set(ids))


def test_a_hostile_text_stays_text(hostile_html: str) -> None:
    page = Page(hostile_html)
    assert [t for t, _ in page.elements].count("script") == 2
    assert not [t for t, _ in page.elements if t in ("img", "i", "iframe")]
    assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    assert [t for t, _ in page.elements].count("style") == 1
    assert "<i>mine</i> [red]x[/red] $x^2$" in page.text


def test_hostile_texts_reach_the_reader_whole_and_visible(hostile_html: str) -> None:
    data = json.loads(Page(hostile_html).raw["script"][0])
    originals = [entry["original"] for entry in data]
    assert HOSTILE[0] in originals
    assert HOSTILE[2] in originals
    assert "red ␛[31malert␛[0m bell ␇ nul ␀ del ␡" in originals
    assert "evil \ufffdgnp.exe\ufffd and \ufffdhidden\ufffd" in originals
    assert "49" not in originals[2]


def test_no_raw_control_or_direction_character_is_in_the_file(hostile_html: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", hostile_html)


def test_hostile_notes_names_and_reasons_are_escaped(hostile, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(hostile.folder, tmp_path / "run"))
    run = json.loads((folder / "run.json").read_text())
    bad = "<script>alert(1)</script>{{7*7}}"
    run |= {"name": bad, "notes": [bad], "status": bad, "config_hash": bad, "versions": {bad: bad}}
    run |= {"not_run": [{"scheme": bad, "attacker": bad, "model": bad, "reason": bad}]}
    run |= {
        "failures": [{"scheme": bad, "id": bad, "reason": bad}],
        "comparisons": [{"attacker": bad, "scheme_a": bad, "p_value": 0.03}],
    }
    run["corpus"] |= {"name": bad, "source": bad}
    run["schemes"] = [{"name": bad, "parameters": {bad: bad}}]
    (folder / "run.json").write_text(json.dumps(run))
    page = Page(to_html(load_run(folder)))
    assert [t for t, _ in page.elements].count("script") == 2
    assert page.text.count(bad) >= 10


def test_the_file_is_whole_or_absent(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    target = tmp_path / "report.html"
    target.write_text("the old one")
    monkeypatch.setattr("neuter.whole_files.os.fsync", full)
    monkeypatch.setattr("neuter.reports.html.to_html", lambda _view: "the new one")
    with pytest.raises(RunError, match=r"report\.html: could not be written \(No space left on device\)"):
        write_html(load_run(run.folder, documents=2), target)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "the old one"


def test_the_whole_report_of_a_run(run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run.folder, tmp_path / "run"))
    path = write_report(folder)
    assert path == folder / "report.html"
    assert {p.suffix for p in (folder / "figures").iterdir()} == {".svg", ".png"}
    assert len(list((folder / "tables").glob("*.tex"))) == 9
    assert path.stat().st_size < 2_000_000


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here")
def test_a_browser_runs_the_script_and_no_text_does_anything(hostile_html: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(hostile_html, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    flags += " --disable-component-update --disable-sync --enable-logging=stderr"
    done = subprocess.run(
        [
            "chromium",
            *flags.split(),
            f"--user-data-dir={tmp_path}/profile",
            "--dump-dom",
            f"{tmp_path}/report.html",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.count('<details class="doc">') == 24
    assert "24 documents" in done.stdout
    assert "CONSOLE" not in done.stderr
