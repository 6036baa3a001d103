"""A run folder belongs to one configuration, is locked while open, and its files are whole or absent."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from neuter.errors import Interrupted, LimitReached, RunError
from neuter.suites.run_folder import RunFolder, config_hash, read_record, slug, write_whole


def test_the_same_configuration_goes_on_and_another_is_refused(tmp_path: Path):
    with RunFolder.open(tmp_path / "run", {"seed": 0}, command="evaluate") as folder:
        folder.masked("rules").write_bytes(b"x")
    with RunFolder.open(tmp_path / "run", {"seed": 0}, command="evaluate") as folder:
        assert folder.masked("rules").read_bytes() == b"x"
    with pytest.raises(RunError, match="another configuration"):
        RunFolder.open(tmp_path / "run", {"seed": 1}, command="evaluate")


def test_overwrite_leaves_nothing_of_the_other_run(tmp_path: Path):
    with RunFolder.open(tmp_path / "run", {"seed": 0}, command="evaluate") as folder:
        folder.masked("rules").write_bytes(b"x")
        (tmp_path / "run" / "scores.csv").write_text("old")
    with RunFolder.open(tmp_path / "run", {"seed": 1}, command="evaluate", overwrite=True) as folder:
        assert not folder.masked("rules").exists()
        assert not (tmp_path / "run" / "scores.csv").exists()


def test_a_folder_of_other_files_is_not_touched(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(RunError, match="other files"):
            RunFolder.open(tmp_path, {}, command="evaluate", overwrite=overwrite)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path):
    with (
        RunFolder.open(tmp_path / "run", {}, command="evaluate"),
        pytest.raises(RunError, match="another process"),
    ):
        RunFolder.open(tmp_path / "run", {}, command="evaluate")


def test_a_damaged_record_is_named(tmp_path: Path):
    (tmp_path / "run.json").write_text("{half")
    with pytest.raises(RunError, match=r"run\.json"):
        read_record(tmp_path)


def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "run.json"
    write_whole(file, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunError, match="No space left"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


def test_the_hash_does_not_depend_on_the_order_of_keys():
    assert config_hash({"a": 1, "b": [2]}) == config_hash({"b": [2], "a": 1})
    assert config_hash({"a": 1}) != config_hash({"a": 2})


def test_slugs_are_safe_names_on_any_system():
    assert slug("../../etc/passwd").startswith("etc_passwd-")
    assert slug("***").startswith("unnamed-")


def test_the_record_is_json_with_the_configuration(tmp_path: Path):
    with RunFolder.open(tmp_path / "run", {"seed": 7}, command="evaluate") as folder:
        folder.save(status="done")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["status"], record["config"]) == ("done", {"seed": 7})


def test_names_that_differ_never_share_a_file():
    names = ["none", "None", "none_", "a:b", "a_b", "a--b", "a", "x" * 300, "x" * 301, "é", "è"]
    assert len({slug(name).casefold() for name in names}) == len(names)


def test_results_without_their_record_are_not_taken_for_this_runs(tmp_path: Path):
    with RunFolder.open(tmp_path / "run", {}, command="evaluate") as folder:
        folder.masked("none").write_bytes(b"x")
    (tmp_path / "run/run.json").unlink()
    with pytest.raises(RunError, match=r"no run\.json"):
        RunFolder.open(tmp_path / "run", {}, command="evaluate")


def test_a_temporary_file_of_a_killed_write_does_not_block_a_folder(tmp_path: Path):
    (tmp_path / ".run.json.1234.tmp").write_text("{")
    RunFolder.open(tmp_path, {}, command="evaluate").__exit__(None, None, None)


@pytest.mark.parametrize("name", ["con", "CON", "Aux.v2", "nul.tar.gz", "com1", "lpt9.x", "prn"])
def test_no_slug_is_the_name_of_a_windows_device(name: str):
    devices = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
    assert slug(name).partition(".")[0] not in devices


@pytest.mark.parametrize(
    "name", ["a.", "a ", "a. .", "." * 90, "a" * 79 + ".b", "a" * 79 + " b", "ends in …"]
)
def test_no_slug_ends_in_a_dot_or_a_blank(name: str):
    assert slug(name)[-1] not in ". "


def test_other_slugs_are_what_they_were():
    assert [slug(name) for name in ("console", "com10", "_con", "rules")] == [
        "console",
        "com10",
        "con-e97ce2",
        "rules",
    ]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LimitReached("enough"), "stopped"),
        (KeyboardInterrupt(), "interrupted"),
        (Interrupted("by the user"), "interrupted"),
        (ValueError("x"), "failed"),
    ],
)
def test_what_ended_a_run_is_in_its_record_until_it_goes_on(
    error: BaseException, status: str, tmp_path: Path
):
    with pytest.raises(type(error)), RunFolder.open(tmp_path / "r", {"a": 1}, command="evaluate") as folder:
        raise error
    record = read_record(tmp_path / "r")
    assert record["status"] == status
    assert record["reason"]
    with RunFolder.open(tmp_path / "r", {"a": 1}, command="evaluate") as again:
        assert again.id == folder.id
        assert "reason" not in again.record


def test_another_run_in_the_same_folder_has_another_id(tmp_path: Path):
    ids = []
    for _ in range(2):
        with RunFolder.open(tmp_path / "r", {"a": 1}, command="evaluate", overwrite=True) as folder:
            ids.append(folder.id)
    assert ids[0] != ids[1]
    assert len(ids[0]) == 32
