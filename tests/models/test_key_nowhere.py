"""The provider's key is in no file, log, report, message or standard stream, whatever the server does."""

import base64
import logging
import os
import subprocess
import sys
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from asking import questions

import neuter as nt
from neuter.errors import ModelError
from neuter.models.retry import RetryPolicy
from neuter.models.testing import loopback_server
from neuter.models.testing.faults import FAULTS
from neuter.types import Document

#: With what other notations write in another way: slashes, a plus, an equals sign.
SECRET = "sk-Zq7/vXw+19Kd/Lm3=pT5"
KEYED = 'api_key_env = "TEST_NEUTER_KEY"'
#: A run of so many characters of the key is too many.
RUN = 10
QUICK = RetryPolicy(attempts=1, total=0.1)
#: What takes its time and sends nothing back that could hold a key.
SILENT = {"hang", "drip"}


def traces():
    """What must not be seen: each piece of the key, and of what other notations make of it."""
    key = SECRET.encode()
    forms = [SECRET, quote(SECRET, safe=""), SECRET.replace("/", r"\/"), key.hex()]
    for before in range(3):  # base64 depends on how many bytes stand before
        inner = slice(4 if before else 0, -4)
        padded = b" " * before + key
        forms += [
            base64.b64encode(padded).decode()[inner],
            base64.urlsafe_b64encode(padded).decode()[inner],
        ]
    return {form[i : i + RUN].encode() for form in forms for i in range(len(form) - RUN + 1)}


TRACES = traces()


def found_in(content):
    return sorted(trace.decode() for trace in TRACES if trace in content)


def found_in_files(folder):
    files = [file for file in Path(folder).rglob("*") if file.is_file()]
    assert files
    return {str(file): found for file in files if (found := found_in(file.read_bytes()))}


def shown(error):
    """All that a program could print of an error, with what caused it."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(getattr(error, "todo", ""))


@pytest.fixture(autouse=True)
def _secret(monkeypatch):
    monkeypatch.setenv("TEST_NEUTER_KEY", SECRET)


def test_the_search_finds_a_key_in_every_form():
    key = SECRET.encode()
    forms = [key, key[3:15], quote(SECRET, safe="").encode(), SECRET.replace("/", r"\/").encode()]
    forms += [base64.b64encode(before + key) for before in (b"", b"a", b"me:", b"Bearer ")]
    for form in forms:
        assert found_in(b"before " + form + b" after"), form
    assert not found_in(b"[key] sk-Zq7/v of nothing")


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - SILENT))
def test_no_fault_spreads_the_key(connected, tmp_path, caplog, capfd, fault):
    caplog.set_level(logging.DEBUG)
    seen = []
    with loopback_server(faults=[fault], answer=f"I saw {SECRET}.") as server:
        with connected(server, extra=KEYED, policy=QUICK) as model:
            try:
                seen += [repr(response) for response in model.ask(questions(1))]
            except ModelError as error:
                seen.append(shown(error))
            seen += [repr(model), repr(model.usage)]
            # The log of the store's writing ahead is a file of its own only while the store is open.
            assert found_in_files(tmp_path) == {}
        assert server.requests > 0
    assert found_in_files(tmp_path) == {}
    out, err = capfd.readouterr()
    assert found_in("".join([*seen, caplog.text, out, err]).encode()) == []
    assert seen


@pytest.mark.parametrize(
    "form",
    [SECRET, f"Bearer {SECRET}", quote(SECRET, safe=""), base64.b64encode(SECRET.encode()).decode()],
    ids=["plain", "bearer", "address", "base64"],
)
def test_an_answer_that_holds_the_key_is_kept_without_it(connected, tmp_path, form):
    with loopback_server(answer=f"You are {form}, are you?") as server:
        with connected(server, extra=KEYED) as model:
            (response,) = model.ask(questions(1))
            assert found_in(repr(response).encode()) == []
            assert response.text.startswith("You are ")
            assert response.text.endswith("[key], are you?")
        assert found_in_files(tmp_path) == {}


def test_a_server_that_is_down_is_said_without_the_key(connected, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    with loopback_server() as server:
        pass
    with connected(server, extra=KEYED) as model:
        for attempt in (model.check, lambda: list(model.ask(questions(1)))):
            with pytest.raises(ModelError) as caught:
                attempt()
            assert found_in(shown(caught.value).encode()) == []
    assert found_in_files(tmp_path) == {}
    assert found_in(caplog.text.encode()) == []


@pytest.mark.parametrize("faults", [(), ("echo-key",), ("400",)], ids=["answered", "echo-key", "rejected"])
def test_a_run_folder_holds_no_key(tmp_path, caplog, capfd, faults):
    caplog.set_level(logging.DEBUG)
    documents = [
        Document(
            id=f"{ticker}-{k}", text=f"Period {k}: we sold {ticker} shoes.", ticker=ticker, fiscal_year=2022
        )
        for ticker in ("AAPL", "MSFT")
        for k in (1, 2)
    ]
    with loopback_server(faults=faults, times=1, answer=f"Company Estimate: {SECRET}") as server:
        config = tmp_path / "loopback.toml"
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n{KEYED}\n')
        result = nt.evaluate(
            documents,
            schemes=["none"],
            attackers=["llm"],
            models=["lo/m"],
            config=config,
            out=tmp_path / "run",
        )
        assert server.requests >= 4
    assert (tmp_path / "run" / "report.html").is_file()
    assert found_in_files(tmp_path) == {}
    out, err = capfd.readouterr()
    assert found_in("".join([repr(result), caplog.text, out, err]).encode()) == []


def test_a_program_that_ends_in_an_error_prints_no_key(tmp_path):
    """A traceback that nobody catches, with the client's own debugging switched on."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\nfrom neuter.models import connect\nfrom neuter.types import Request\n"
        "with connect('lo/m', config=Path(sys.argv[1])) as model:\n"
        "    list(model.ask([Request('a', (('user', 'question'),))]))\n"
    )
    with loopback_server(faults=["401"]) as server:
        config = tmp_path / "loopback.toml"
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n{KEYED}\n')
        done = subprocess.run(
            [sys.executable, str(program), str(config)],
            capture_output=True,
            env={**os.environ, "OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1"},
            timeout=60,
            check=False,
        )
    assert b"refused the key (401)" in done.stderr
    assert found_in(done.stdout + done.stderr) == []
    assert found_in_files(tmp_path) == {}
