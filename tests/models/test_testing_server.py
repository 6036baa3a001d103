"""The loopback server, run as a program."""

import json
import subprocess
import sys
import urllib.request

import pytest


def get(url):
    with urllib.request.urlopen(url, timeout=10) as reply:
        return json.loads(reply.read())


def post(base_url, content):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": content}]}).encode()
    request = urllib.request.Request(
        f"{base_url}/chat/completions", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.loads(reply.read())


@pytest.fixture
def program(tmp_path):
    command = [
        sys.executable,
        "-m",
        "neuter.models.testing",
        "--answer",
        "hello",
        "--fault",
        "500",
        "--times",
        "1",
    ]
    command += ["--count-file", str(tmp_path / "count.json")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()


def test_it_answers_misbehaves_and_counts(program, tmp_path):
    with pytest.raises(urllib.error.HTTPError, match="500"):
        post(program, "a")
    assert post(program, "a")["choices"][0]["message"]["content"] == "hello"
    with pytest.raises(urllib.error.HTTPError, match="500"):
        post(program, "b")
    assert get(f"{program}/models")["object"] == "list"
    counts = get(program.removesuffix("/v1") + "/_count")
    assert counts == {"requests": 3, "unique": 2, "most": 2, "peak": 1}
    assert json.loads((tmp_path / "count.json").read_text())["requests"] == 3
