"""Labels of people: read with their mistakes named, drawn blind and stratified, given key by key and kept after each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

from neuter.errors import DataError, RunError, UsageError
from neuter.traces import LABEL_SCHEMA, read_labels, stratified, trace_key, write_labels
from neuter.traces.extracting import in_schema
from neuter.traces.labelling import Item, Labels, items_of, label_items, see_name
from neuter.traces.labels import write_to_label
from neuter.traces.sampling import allotted, stratum_weights, with_strata

A, B, D = "a" * 16, "b" * 16, "d" * 16
HEAD = "key,logic,clean,by,note\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(text, encoding="utf-8")
    return path


# Reading


def test_labels_are_read_in_any_case_with_other_columns_left_out(tmp_path: Path) -> None:
    text = f'\ufeffTrace,Key,Logic,Clean,By,Note\n"two\nlines",{A.upper()},Yes,no,ann,\n\nx,{B},NO,YES,ann,"a, b"\n'
    frame = read_labels(written(tmp_path, text))
    assert frame.columns == list(LABEL_SCHEMA)
    assert frame.rows() == [(A, "yes", "no", "ann", ""), (B, "no", "yes", "ann", "a, b")]


def test_a_spreadsheets_semicolons_are_read_and_a_note_may_be_missing(tmp_path: Path) -> None:
    frame = read_labels(written(tmp_path, f"key;logic;clean;by\n{A};yes;no;ann\n"))
    assert frame.rows() == [(A, "yes", "no", "ann", "")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (f"{A},yes,no,ann,\n{A},no,no,ann,\n", r"line 3, key: ann labelled a+ on line 2 too"),
        (f"{A},yes,no,ann,\n{B},,no,ann,\n", r"line 3, logic: is empty"),
        (f"{A},yes,maybe,ann,\n", r"line 2, clean: 'maybe' is neither yes nor no"),
        (f"{A},yes,no,,\n", r"line 2, by: is empty"),
        ("q1,yes,no,ann,\n", r"line 2, key: 'q1' is no key of a trace"),
        (f"{D},yes,no,ann,\n", r"line 2, key: d+ is of no trace of this run"),
        (f"{A},yes,no\n", r"line 2: 3 fields and not 5"),
        (f'{A},yes,no,ann,"open\n', r"no CSV"),
    ],
)
def test_a_bad_label_is_named_with_its_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_labels(written(tmp_path, HEAD + rows), known={A, B})


def test_two_people_may_label_one_trace(tmp_path: Path) -> None:
    assert read_labels(written(tmp_path, f"{HEAD}{A},yes,no,ann,\n{A},no,no,bob,\n")).height == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "without the column key"),
        ("key,logic\n", "clean, by"),
        ("key,key,logic,clean,by\n", "comes twice"),
    ],
)
def test_a_file_without_its_columns_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_labels(written(tmp_path, text))


def test_a_file_that_is_absent_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("absent.csv", "binary.csv"):
        with pytest.raises(DataError, match="cannot be read"):
            read_labels(tmp_path / name)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    told = pl.DataFrame([(A, "yes", "no", 'a "b", c', "=1+1")], schema=LABEL_SCHEMA, orient="row")
    write_labels(tmp_path / "l.csv", told)
    assert read_labels(tmp_path / "l.csv").rows() == told.rows()


# Drawing


def traces(n: int = 200, *, judged: bool = True) -> pl.DataFrame:
    """Two models and conditions; every fiftieth trace is unclean, one in all is illogical."""
    rows = [
        {
            "id": f"q{at}",
            "model": "m" if at % 2 else "k",
            "condition": "G2" if at % 4 < 2 else "G2′",
            "run": 0,
            "trace": f"Reason {at}.",
            "rule_clean": at % 50 != 0,
            "judge_logic": (at != 7) if judged else None,
            "judge_clean": (at % 50 != 0) if judged else None,
        }
        for at in range(n)
    ]
    return in_schema(pl.DataFrame(rows, infer_schema_length=None))


GROUPS = {"m": "reasoning", "k": "non_reasoning"}


def test_rare_verdicts_are_in_the_sample() -> None:
    drawn = stratified(traces(), GROUPS, n=36)
    assert drawn.height == 36
    assert drawn["key"].n_unique() == 36
    assert drawn.filter(~pl.col("judge_clean")).height == 4
    assert drawn.filter(~pl.col("judge_logic")).height == 1
    assert len(set(drawn["stratum"])) == 7


def test_the_draw_hangs_on_the_seed_and_not_on_the_order_of_the_traces() -> None:
    one, same = stratified(traces(), GROUPS), stratified(traces().reverse(), GROUPS)
    assert one["key"].to_list() == same["key"].to_list()
    assert one["key"].to_list() != stratified(traces(), GROUPS, seed=1)["key"].to_list()


def test_without_a_judge_the_rule_makes_the_strata() -> None:
    strata = with_strata(traces(judged=False), {})["stratum"].unique().sort().to_list()
    assert strata == [
        ", G2, rule clean no",
        ", G2, rule clean yes",
        ", G2′, rule clean no",
        ", G2′, rule clean yes",
    ]


def test_a_sample_of_all_is_all_and_of_none_is_refused() -> None:
    assert stratified(traces(5), GROUPS, n=36).height == 5
    with pytest.raises(UsageError, match="sample of 0"):
        stratified(traces(5), GROUPS, n=0)
    with pytest.raises(UsageError, match="no chain of thought"):
        stratified(traces(5).clear(), GROUPS)


def test_shares_are_equal_and_what_is_small_is_taken_whole() -> None:
    assert allotted({"a": 100, "b": 2, "c": 50}, 12) == {"a": 5, "b": 2, "c": 5}
    assert allotted({"a": 100, "b": 2, "c": 50}, 2) == {"a": 0, "b": 1, "c": 1}
    assert allotted({"a": 1}, 9) == {"a": 1}


def test_weights_bring_a_sample_back_to_its_run() -> None:
    every = with_strata(traces(), GROUPS)
    drawn = stratified(traces(), GROUPS, n=36)
    weights = stratum_weights(drawn["stratum"], every["stratum"])
    assert sum(weights[one] for one in drawn["stratum"]) == pytest.approx(200)


def test_what_is_labelled_elsewhere_shows_neither_model_condition_nor_verdict(tmp_path: Path) -> None:
    drawn = stratified(traces(6).with_columns(trace=pl.lit("=HYPERLINK(1)")), GROUPS)
    write_to_label(tmp_path / "to.csv", drawn, {f"q{at}": "Will X?" for at in range(6)})
    frame = pl.read_csv(tmp_path / "to.csv", infer_schema=False)
    assert frame.columns == ["key", "question", "trace", "logic", "clean", "by", "note"]
    assert set(frame["trace"]) == {"'=HYPERLINK(1)"}
    assert frame["logic"].null_count() == 6


# Labelling


class Keys:
    """A person who presses keys in turn, and what was shown to them."""

    def __init__(self, keys: str, line: str = "") -> None:
        self.keys, self.noted = list(keys), line
        self.shown: list[tuple[str, int, int, int, object]] = []
        self.said: list[str] = []

    def show(self, item: Item, number: int, total: int, done: int, before: Mapping[str, str] | None) -> None:
        self.shown.append((item.key, number, total, done, before and before["logic"]))

    def ask(self, question: str) -> str:
        return self.keys.pop(0)

    def line(self, prompt: str) -> str:
        return self.noted

    def say(self, text: str) -> None:
        self.said.append(text)


ITEMS = [Item(A, "Will A?", "a"), Item(B, "Will B?", "b"), Item(D, "Will D?", "d")]


def pressed(path: Path, keys: str, by: str = "ann", line: str = "") -> Keys:
    person = Keys(keys, line)
    label_items(ITEMS, Labels(path, by), person)
    return person


def test_two_keys_label_an_item_and_each_is_kept_at_once(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    pressed(path, "ynq")
    assert read_labels(path).rows() == [(A, "yes", "no", "ann", "")]
    pressed(path, "nyyy")
    assert [row[:3] for row in read_labels(path).rows()] == [
        (A, "yes", "no"),
        (B, "no", "yes"),
        (D, "yes", "yes"),
    ]
    assert pressed(path, "").shown == []


def test_half_a_label_is_none(tmp_path: Path) -> None:
    pressed(tmp_path / "l.csv", "yq")
    assert not (tmp_path / "l.csv").exists()


def test_back_goes_to_the_first_question_or_to_the_item_before(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    person = pressed(path, "yn" + "b" + "nn" + "ybnn" + "q")
    assert [row[:3] for row in read_labels(path).rows()] == [(A, "no", "no"), (B, "no", "no")]
    assert [one[:2] for one in person.shown] == [(A, 1), (B, 2), (A, 1), (B, 2), (D, 3)]
    assert person.shown[2][4] == "yes"
    assert [one[3] for one in person.shown] == [0, 1, 1, 1, 2]


def test_back_at_the_first_item_stays_there(tmp_path: Path) -> None:
    assert [one[1] for one in pressed(tmp_path / "l.csv", "bbq").shown] == [1, 1, 1]


def test_another_key_says_which_there_are_and_a_note_is_kept(tmp_path: Path) -> None:
    person = pressed(tmp_path / "l.csv", "xcyyq", line="unsure")
    assert "n no" in person.said[0]
    assert read_labels(tmp_path / "l.csv").rows() == [(A, "yes", "yes", "ann", "unsure")]


def test_another_persons_labels_stay_and_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    pressed(path, "yyq")
    person = pressed(path, "nnq", by="bob")
    assert person.shown[0][:2] == (A, 1)
    assert person.shown[0][4] is None
    assert [(row[0], row[1], row[3]) for row in read_labels(path).rows()] == [
        (A, "yes", "ann"),
        (A, "no", "bob"),
    ]


def test_a_label_that_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.csv"
    pressed(path, "yyq")
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise RunError("the disk is full")

    monkeypatch.setattr("neuter.traces.labels.write_whole", full)
    with pytest.raises(RunError):
        pressed(path, "nnq")
    assert path.read_bytes() == before


def test_an_item_holds_nothing_but_key_question_and_trace() -> None:
    (item,) = items_of(stratified(traces(1), GROUPS), {"q0": "Will X?"})
    assert item == Item(trace_key("q0", "k", "G2", 0, "Reason 0."), "Will X?", "Reason 0.")
    assert Item.__slots__ == ("key", "question", "trace")


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b[2J"])
def test_a_name_is_a_line(name: str) -> None:
    assert see_name(" ann ") == "ann"
    with pytest.raises(DataError, match="is no name"):
        see_name(name)
