import pytest

from neuter.models import connect
from neuter.models.retry import RetryPolicy

#: Waits short enough for tests; the numbers of attempts are those of the default policy.
QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05, total=10.0)


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch, tmp_path):
    """No configuration, store or key of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("neuter.models.configuration.user_file", lambda: tmp_path / "user" / "neuter.toml")
    monkeypatch.setenv("NEUTER_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def connected(tmp_path):
    """Connect to a loopback server under the name lo/m."""

    def connect_to(server, *, extra="", policy=QUICK, model="lo/m", **options):
        config = tmp_path / "loopback.toml"
        config.write_text(f'[providers.lo]\nbase_url = "{server.base_url}"\n{extra}\n')
        return connect(model, config=config, policy=policy, **options)

    return connect_to
