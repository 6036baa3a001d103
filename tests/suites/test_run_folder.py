"""A run folder belongs to one configuration, is locked while open, and its files are whole or absent."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from neuter.errors import RunError
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
