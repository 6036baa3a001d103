"""Taking secrets out of what a server says, in whatever notation it writes them back."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from html.entities import codepoint2name
from urllib.parse import quote

#: What stands in the place of a secret.
MARK = "[key]"
#: Nothing is escaped without one of these.
_ESCAPES = ("\\", "&", "%")


class Redaction:
    """Replaces every one of ``secrets`` in a text by ``[key]``: as it is, as in an address, in base64, and with any of
    its characters escaped as JSON, HTML or an address escapes them, also several times over."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The longest first: one may be a part of another.
        known = sorted(set(secrets), key=len, reverse=True)
        written = sorted({form for secret in known for form in _written(secret)}, key=len, reverse=True)
        quoted = {quote(secret, safe="") for secret in known}
        self.plain = tuple(sorted({*written, *quoted}, key=len, reverse=True))
        self._escaped = re.compile("|".join("".join(map(_character, form)) for form in written) or r"(?!)")

    def __call__(self, text: str) -> str:
        """``text`` without a secret."""
        for form in self.plain:
            if form in text:
                text = text.replace(form, MARK)
        if self.plain and any(escape in text for escape in _ESCAPES):
            text = self._escaped.sub(MARK, text)
        return text


def _written(secret: str) -> set[str]:
    raw = secret.encode()
    return {secret, b64encode(raw).decode(), urlsafe_b64encode(raw).decode()}


def _character(character: str) -> str:
    """A pattern for one character, as it is or escaped. Repetitions are bounded: no text makes it slow."""
    code = ord(character)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    named = rf"|{codepoint2name[code]}" if code in codepoint2name else "|apos" if character == "'" else ""
    plain = re.escape(character)
    html = rf"&(?:amp;){{0,3}}(?:#0{{0,5}}{code}|#[xX]0{{0,5}}{digits}{named});"
    json = rf"\\\\{{0,7}}(?:{plain}|u00{digits}|x{digits})"
    return rf"(?:{html}|{json}|%(?:25){{0,3}}{digits}|{plain})"
