"""Secrets in every notation that servers write them back in; nothing else is touched, and no text makes it slow."""

import html
import json
from base64 import b64encode
from urllib.parse import quote

import pytest

from neuter.models.redaction import Redaction

PLAIN = "sk-secret_key.0123456789"
ODD = "sk-a\"b\\\\c&d<e>f'g/h+i=j%k"


def in_escapes(text):
    return "".join(f"\\u{ord(letter):04X}" for letter in text)


def as_entities(text):
    return "".join(f"&#{ord(letter)};" for letter in text)


WRITERS = {
    "plain": str,
    "address": lambda text: quote(text, safe=""),
    "small address": lambda text: quote(text, safe="").lower(),
    "address twice": lambda text: quote(quote(text, safe=""), safe=""),
    "html": html.escape,
    "html twice": lambda text: html.escape(html.escape(text)),
    "entities": as_entities,
    "json": lambda text: json.dumps(text)[1:-1],
    "json in json": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "escapes": in_escapes,
    "escapes in json": lambda text: json.dumps(in_escapes(text))[1:-1],
    "hyphens escaped": lambda text: text.replace("-", "\\u002d"),
    "slashes escaped": lambda text: text.replace("/", "\\/"),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 in json": lambda text: (
        b64encode(text.encode()).decode().replace("=", "\\u003d").replace("/", "\\/")
    ),
}


@pytest.mark.parametrize("secret", [PLAIN, ODD, "sk-bearer/~&;"], ids=["plain", "odd", "ends"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_secret_is_replaced_however_it_is_written(writer, secret):
    text = f"before {WRITERS[writer](secret)} after"
    if writer == "small address":
        secret = secret.lower()
    assert Redaction([secret])(text) in {"before [key] after", "before [key]amp; after"}


def test_of_two_secrets_the_longer_goes_first():
    redaction = Redaction(["sk-part-1", "sk-part-1-and-more"])
    assert redaction("sk-part-1-and-more sk\\u002dpart-1-and-more sk-part-1") == "[key] [key] [key]"


def test_without_secrets_nothing_changes():
    text = "sk-any \\u0041 &amp; %20"
    assert Redaction([])(text) == text
    assert Redaction([PLAIN])(text + PLAIN[:-1]) == text + PLAIN[:-1]


@pytest.mark.parametrize("piece", ["\\", "&amp;", "%25", "sk", "\\u0073", "&#0000", "sk-secret"])
def test_a_long_text_of_escapes_is_gone_through_to_its_end(piece):
    redaction = Redaction([PLAIN])
    text = piece * (200_000 // len(piece))
    assert redaction(f"{text} {PLAIN}") == f"{text} [key]"
