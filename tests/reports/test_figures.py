from __future__ import annotations

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure
from synthetic_run import score_frame, score_row

from neuter.reports.figure_drawing import image_bytes
from neuter.reports.figures import accuracy_figure, inline_svg, write_figures


def _scores(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "scores.parquet")


def test_the_same_scores_give_the_same_bytes(run, tmp_path: Path) -> None:
    scores = _scores(run.folder).filter(pl.col("metric").str.starts_with("firm"))
    first, second = (write_figures(scores, tmp_path / name) for name in "ab")
    assert [p.name for p in first] == ["firm-accuracy.svg", "firm-accuracy.png"]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]
    assert b"<dc:date>" not in first[0].read_bytes()
    assert first[1].read_bytes().startswith(b"\x89PNG")


def test_a_panel_for_each_attacker_and_a_line_for_each_scheme(run) -> None:
    figure = accuracy_figure(_scores(run.folder))
    panels = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title(loc="left").split("\n")[0] for axis in panels] == ["linkage", "prior", "llm"]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["none", "presidio", "rules"]


def test_marks_stand_at_the_value_the_interval_and_the_baseline() -> None:
    frame = score_frame(
        [
            score_row(
                scheme="rules", attacker="linkage", metric="firm_accuracy", group_by="size", group="Large",
                value=70.0, ci_low=60.0, ci_high=80.0, baseline=4.0, n=9,
            )
        ]
    )  # fmt: skip
    lines = [list(line.get_xdata()) for line in accuracy_figure(frame).axes[0].lines]
    assert lines == [[60.0, 80.0], [4.0, 4.0], [70.0]]


def test_a_drawing_for_a_page_brings_no_style_script_or_foreign_id(run, hostile) -> None:
    for made in (run, hostile):
        svg = inline_svg(_scores(made.folder), "firm_accuracy", "c0")
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert "Firm found" in (root.get("aria-label") or "")
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"style", "script", "metadata", "i", "foreignObject"}
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert all(id_.startswith("c0-") for id_ in ids if id_)
        assert "currentColor" in svg
        assert "#010203" not in svg


def test_names_are_text_and_no_mathematics(hostile) -> None:
    svg = inline_svg(_scores(hostile.folder), "firm_accuracy", "c0")
    texts = [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]
    assert any(text and "$x^2$" in text for text in texts)


def test_nothing_to_draw_writes_nothing(tmp_path: Path) -> None:
    assert write_figures(score_frame([]), tmp_path) == []


def _panel_a(**more: object) -> pl.DataFrame:
    known = {"scheme": "rules", "attacker": "llm", "metric": "firm_accuracy", "panel": "A", "n": 9}
    return score_frame(
        [
            score_row(**known, group_by="firm", group=f"F{place}", value=10.0 * place, baseline=100.0, **more)
            for place in range(1, 9)
        ]
    )


def test_by_firm_every_firm_is_a_line_with_its_published_mark_and_no_baseline_of_one_firm() -> None:
    axis = accuracy_figure(_panel_a(published=65.53), by="firm", panel="A").axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == [f"F{place}" for place in range(1, 9)]
    drawn = [list(line.get_xdata()) for line in axis.lines]
    assert drawn == [[x] for place in range(1, 9) for x in (65.53, 10.0 * place)]


def test_the_seven_stand_in_the_papers_order() -> None:
    known = {
        "scheme": "rules",
        "attacker": "llm",
        "metric": "firm_accuracy",
        "panel": "A",
        "group_by": "firm",
    }
    tickers = ("AAPL", "AMZN", "GOOG", "META", "MSFT", "NVDA", "TSLA")
    frame = score_frame([score_row(**known, group=ticker, value=50.0, n=4) for ticker in tickers])
    axis = accuracy_figure(frame, by="firm", panel="A").axes[0]
    paper = ["AAPL", "META", "MSFT", "GOOG", "NVDA", "TSLA", "AMZN"]  # Table 7, Panel A
    assert [label.get_text() for label in axis.get_yticklabels()] == paper


def _explained(figure: Figure) -> tuple[list[str], str]:
    """The legend's labels and the footing."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()], figure.get_supxlabel()


def test_the_legend_and_footing_name_only_what_is_drawn() -> None:
    labels, footing = _explained(accuracy_figure(_panel_a(published=65.53), by="firm", panel="A"))
    # A baseline within one firm is not drawn, and no firm has an interval over firms.
    assert labels == ["rules", "published (GPT-4o)"]
    assert footing == "Firm found: % of answered documents"
    known = {"scheme": "rules", "attacker": "llm", "metric": "firm_accuracy", "value": 50.0, "n": 4}
    whole = score_frame([score_row(**known, baseline=4.0, ci_low=10.0, ci_high=90.0)])
    labels, footing = _explained(accuracy_figure(whole))
    assert labels == ["All", "baseline (no text read)"]
    assert footing == "Firm found: % of answered documents, with 95% intervals"


def test_long_names_of_models_and_schemes_are_cut_in_their_middle() -> None:
    model = "openrouter/a-provider-of-many/a-model-with-a-very-long-name-2026-11-30"
    known = {"attacker": "llm", "model": model, "metric": "firm_accuracy", "panel": "A", "group_by": "firm"}
    scheme = "path/to/a/folder/far/away/from/here/mine.py:MyScheme"
    figure = accuracy_figure(
        score_frame([score_row(**known, scheme=scheme, group="AAPL", value=50.0, n=4)]), by="firm", panel="A"
    )
    attacker, named = figure.axes[0].get_title(loc="left").splitlines()
    assert (attacker, len(named)) == ("llm", 40)
    assert named.startswith("(openrouter/a-provi")
    assert named.endswith("2026-11-30)")
    assert "…" in named
    ((label, *_), _) = _explained(figure)
    assert (len(label), label[-11:]) == (40, "py:MyScheme")


def test_a_panel_a_has_a_figure_by_firm(tmp_path: Path) -> None:
    assert [path.name for path in write_figures(_panel_a(), tmp_path)] == [
        "firm-accuracy-by-firm.svg",
        "firm-accuracy-by-firm.png",
    ]


def test_a_name_in_letters_that_the_font_lacks_brings_no_warning_of_fonts():
    figure = Figure()
    figure.suptitle("模型/七")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert image_bytes(figure, "svg").startswith(b"<?xml")
        assert image_bytes(figure, "png").startswith(b"\x89PNG")
