"""The client that is made for a provider: proxies, certificates, further headers, and what it must not send."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from recording import recording_server

from neuter.errors import ModelError, UsageError
from neuter.models import check, connect
from neuter.models.clients import proxy_for
from neuter.models.providers import load_providers
from neuter.models.transport import NoReply, OpenAITransport
from neuter.types import Outcome, Request

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
#: A name that resolves nowhere (RFC 2606): only a proxy can answer for it.
NOWHERE = "model-server.invalid"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in (*PROXIES, *CERTIFICATES):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def provider(tmp_path):
    def configure(base_url, extra=""):
        file = tmp_path / "p.toml"
        file.write_text(f'[providers.p]\nbase_url = "{base_url}"\n{extra}\n')
        return load_providers(file)["p"]

    return configure


def send(provider):
    async def run():
        transport = OpenAITransport(provider, timeout=5, concurrency=2)
        try:
            return await transport.send({"model": "m", "messages": []})
        finally:
            await transport.close()

    return asyncio.run(run())


# Proxies


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_requests_go_through_the_proxy_of_the_environment(provider, monkeypatch, variable):
    with recording_server() as proxy:
        monkeypatch.setenv(variable, proxy.address)
        assert send(provider(f"http://{NOWHERE}/v1")).status == 200
    assert [asked.target for asked in proxy.asked] == [f"http://{NOWHERE}/v1/chat/completions"]


def test_https_goes_through_a_tunnel_of_the_proxy(provider, monkeypatch):
    with recording_server(status=502) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.address)
        with pytest.raises(NoReply) as caught:
            send(provider(f"https://{NOWHERE}/v1"))
    assert [(asked.method, asked.target) for asked in proxy.asked] == [("CONNECT", f"{NOWHERE}:443")]
    assert not caught.value.sent  # the proxy refused: nothing can have been billed


def test_no_proxy_is_honoured(provider, monkeypatch):
    with recording_server() as proxy, recording_server() as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        send(provider(f"{server.address}/v1"))
    assert (len(proxy.asked), len(server.asked)) == (0, 1)


def test_user_and_password_go_to_the_proxy_and_into_no_message(provider, monkeypatch):
    with recording_server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.address.replace("//", "//me:hush@"))
        send(provider(f"http://{NOWHERE}/v1"))
    assert proxy.asked[0].headers["proxy-authorization"] == "Basic bWU6aHVzaA=="  # base64 of me:hush
    assert proxy_for(f"http://{NOWHERE}/v1") == proxy.address


def test_a_proxy_that_is_down_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://me:hush@127.0.0.1:9")
    file = tmp_path / "p.toml"
    file.write_text(f'[providers.p]\nbase_url = "http://{NOWHERE}/v1"\n')
    with pytest.raises(ModelError, match=r"through the proxy http://127\.0\.0\.1:9") as caught:
        check("p/m", file)
    assert "HTTP_PROXY" in caught.value.todo
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["socks5://me:hush@127.0.0.1:9", "ftp://127.0.0.1:9"])
def test_a_proxy_that_does_not_speak_http_is_refused_and_gets_nothing(provider, monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ModelError, match="proxies of this kind cannot be used") as caught:
        send(provider(f"http://{NOWHERE}/v1"))
    assert "hush" not in str(caught.value)


def test_a_proxy_for_other_servers_does_not_matter(provider, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with recording_server() as server:
        assert send(provider(f"{server.address}/v1")).status == 200


# Certificates


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 that no authority has signed, with its key, as one PEM file."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "loopback.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return file


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_the_certificates_that_the_environment_names_are_trusted(
    provider, monkeypatch, certificate, variable
):
    monkeypatch.setenv(variable, str(certificate))
    with recording_server(certificate) as server:
        assert send(provider(f"{server.address}/v1")).status == 200


def test_ssl_cert_file_goes_before_requests_ca_bundle(provider, monkeypatch, certificate, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "nowhere.pem"))
    with recording_server(certificate) as server:
        assert send(provider(f"{server.address}/v1")).status == 200


def test_a_certificate_that_nobody_trusts_is_said_with_what_to_do(tmp_path, certificate):
    file = tmp_path / "p.toml"
    with recording_server(certificate) as server:
        file.write_text(f'[providers.p]\nbase_url = "{server.address}/v1"\n')
        with pytest.raises(ModelError, match="certificate") as caught:
            check("p/m", file)
    assert "SSL_CERT_FILE" in caught.value.todo
    assert server.asked == []


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_certificates_that_cannot_be_read_are_named(provider, monkeypatch, tmp_path, variable):
    monkeypatch.setenv(variable, str(tmp_path / "nowhere.pem"))
    with pytest.raises(ModelError, match=rf"{variable}=.*nowhere\.pem: no certificates can be read"):
        send(provider("https://127.0.0.1:9/v1"))


# Headers


def test_headers_go_out_with_values_from_file_and_environment(provider, monkeypatch):
    monkeypatch.setenv("GATEWAY_TOKEN", " gateway-secret-1\n")
    extra = '[providers.p.headers]\nX-Title = "research"\nX-Gateway-Token = { env = "GATEWAY_TOKEN" }'
    with recording_server() as server:
        send(provider(f"{server.address}/v1", extra))
    headers = server.asked[0].headers
    assert (headers["x-title"], headers["x-gateway-token"]) == ("research", "gateway-secret-1")


def test_a_headers_value_from_the_environment_is_masked_like_a_key(provider, monkeypatch):
    monkeypatch.setenv("GATEWAY_TOKEN", "gateway-secret-1")
    configured = provider("http://a/v1", '[providers.p.headers]\nX-Id = { env = "GATEWAY_TOKEN" }')
    assert "gateway-secret-1" not in repr(configured)
    with recording_server(reply={"said": "gateway-secret-1"}) as server:
        configured = provider(
            f"{server.address}/v1", '[providers.p.headers]\nX-Id = { env = "GATEWAY_TOKEN" }'
        )
        assert send(configured).body == '{"said": "[key]"}'


def test_of_two_secrets_the_longer_goes_first_and_slashes_may_be_escaped(provider, monkeypatch):
    monkeypatch.setenv("P_KEY", "sk/part-1")
    monkeypatch.setenv("GATEWAY_TOKEN", "sk/part-1-and-more")
    extra = 'api_key_env = "P_KEY"\nheaders = { X-Id = { env = "GATEWAY_TOKEN" } }'
    raw = r'{"said": "sk/part-1-and-more sk/part-1 sk\/part-1"}'
    with recording_server(reply=raw) as server:
        assert send(provider(f"{server.address}/v1", extra)).body == '{"said": "[key] [key] [key]"}'


def test_a_short_value_is_no_secret_and_spoils_no_answer(provider, monkeypatch):
    monkeypatch.setenv("TEAM", "e")
    with recording_server(reply={"said": "hello"}) as server:
        configured = provider(f"{server.address}/v1", '[providers.p.headers]\nX-Team = { env = "TEAM" }')
        assert send(configured).body == '{"said": "hello"}'


@pytest.mark.parametrize("value", [None, "", "two\nlines"])
def test_a_header_without_a_value_is_said_before_anything_is_sent(tmp_path, monkeypatch, value):
    monkeypatch.delenv("GATEWAY_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("GATEWAY_TOKEN", value)
    file = tmp_path / "p.toml"
    with recording_server() as server:
        file.write_text(
            f'[providers.p]\nbase_url = "{server.address}/v1"\nheaders = {{ X-A = {{ env = "GATEWAY_TOKEN" }} }}\n'
        )
        with connect("p/m", config=file) as model, pytest.raises(ModelError, match="GATEWAY_TOKEN"):
            model.check(online=False)
    assert server.asked == []


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ('{ Authorization = "Bearer sk-1" }', "may be a secret"),
        ('{ X-Api-Key = "sk-1" }', "may be a secret"),
        ('{ Cookie = "sk-1" }', "may be a secret"),
        ('{ X-Title = "two\\nlines" }', "not a line of plain characters"),
        ("{ X-Title = 3 }", "not a line of plain characters"),
        ('{ X-Title = { file = "a" } }', "not a line of plain characters"),
        ('{ "X Title" = "a" }', "not a header that can be set"),
        ('{ Host = "a" }', "not a header that can be set"),
        ('{ Content-Length = "5" }', "not a header that can be set"),
        ('"X-Title: a"', "headers = .* is not a table"),
    ],
)
def test_headers_are_checked_and_secrets_refused_unseen(provider, headers, message):
    with pytest.raises(UsageError, match=message) as caught:
        provider("http://a/v1", f"headers = {headers}")
    assert "sk-1" not in str(caught.value)


def test_the_account_of_openai_is_no_other_servers_business(provider, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Key: of-openai\nX-Title: other")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-0123456789")
    with recording_server() as server:
        send(provider(f"{server.address}/v1"))
        send(provider(f"{server.address}/v1", 'organization = "o"\nproject = "q"'))
        send(provider(f"{server.address}/v1", 'headers = { X-Title = "mine" }'))
    first, second, third = (asked.headers for asked in server.asked)
    assert "x-gateway-key" not in first
    assert "x-title" not in first
    assert third["x-title"] == "mine"
    assert "sk-openai" not in str(first)
    assert "openai-organization" not in first
    assert "openai-project" not in first
    assert (second["openai-organization"], second["openai-project"]) == ("o", "q")


def test_openais_own_account_comes_from_file_or_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    file = tmp_path / "p.toml"
    with recording_server() as server:
        file.write_text(
            f'[providers.openai]\nbase_url = "{server.address}/v1"\nproject = "proj-2"\n'
            'headers = { X-Title = "mine" }\n'
        )
        with connect("openai/m", config=file) as model:
            (response,) = model.ask([Request("x", (("user", "q"),))])
    assert response.outcome is Outcome.ANSWERED
    headers = server.asked[0].headers
    assert (headers["openai-organization"], headers["openai-project"]) == ("org-1", "proj-2")
    assert headers["x-title"] == "mine"
