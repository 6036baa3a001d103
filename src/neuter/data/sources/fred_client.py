"""Observations from FRED and ALFRED over HTTP: every page of them, or an error that says what to do.

``fredapi``, the usual client, was looked at and not taken: it has no time-out and asks for no second page, turns the
text of numbers into floats (10.0 and 10 are then one), and its exceptions hold the address with the key. Here the key
is added in the transport, below all that logs, shows or raises an address.
"""

from __future__ import annotations

import json
import os
import re
import time
import tomllib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx2

from neuter.errors import DataError

VARIABLE = "FRED_API_KEY"
_KEY = re.compile(r"[A-Za-z0-9]+")
#: All of ALFRED's time, as FRED's documentation of real-time periods writes it.
ALL_VINTAGES = {"realtime_start": "1776-07-04", "realtime_end": "9999-12-31"}

Observation = dict[str, str]


@dataclass(frozen=True, slots=True)
class Service:
    """A service's address and limits, as ``services.toml`` tells of them."""

    name: str
    address: str
    page: int
    attempts: int
    pause: float
    longest_pause: float
    timeout: float
    deadline: float
    largest: int
    prompt_days: Mapping[str, int] = field(default_factory=dict)
    late_days: Mapping[str, int] = field(default_factory=dict)


@cache
def fred_service() -> Service:
    """FRED's row of ``services.toml``."""
    told = tomllib.loads(Path(__file__).with_name("services.toml").read_text(encoding="utf-8"))
    return Service(**told["fred"])


def fred_key() -> str:
    """The key of FRED from the environment.

    Raises:
        DataError: there is none, or it cannot be one. It is not shown.
    """
    key = os.environ.get(VARIABLE, "").strip()
    todo = f"Put a key of your own (fred.stlouisfed.org, My Account, API Keys) into {VARIABLE}"
    if not key:
        raise DataError(f"{VARIABLE} is not set", where="FRED", todo=todo)
    if not _KEY.fullmatch(key):
        raise DataError(f"{VARIABLE} holds other signs than letters and digits", where="FRED", todo=todo)
    return key


class KeyTransport(httpx2.HTTPTransport):
    """Adds the key to the address as the request leaves: the request that others see, log and raise has none."""

    def __init__(self, key: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._key = key

    def __repr__(self) -> str:
        return "KeyTransport()"

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        keyed = httpx2.Request(
            request.method,
            request.url.copy_add_param("api_key", self._key),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions,
        )
        return super().handle_request(keyed)


class _Again(Exception):
    """This attempt failed in a way that another may not: a sign to the loop, never seen outside."""

    def __init__(self, what: str, *, todo: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.what, self.todo, self.wait = what, todo, wait


def observations(
    series: str,
    *,
    vintages: bool,
    service: Service | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Observation]:
    """Every observation of a series: ``date``, ``value`` (text as printed, ``.`` where missing), ``realtime_start``
    and ``realtime_end``.

    Args:
        series: its id, as ``UNRATE``.
        vintages: every value that ever stood (ALFRED), rather than those of today (FRED).

    Raises:
        DataError: no key, a key that is refused, no such series, no answer, a limit, or an answer that is broken,
            incomplete, or has another number of observations than it says.
    """
    told = service or fred_service()
    with _client(told) as http:
        asking = _Asking(http, told, series, vintages, sleep)
        page = asking.page(0)
        held, count = list(page["observations"]), page["count"]
        # The pages that such a count can have, and no more: a server may not know of pages, and send the first anew.
        for _ in range(1, -(-count // told.page)):
            if len(held) >= count or not page["observations"]:
                break
            before, page = page, asking.page(len(held))
            if page["observations"] == before["observations"] or page["count"] != count:
                what = f"sent a page of {series} twice, or changed its count between pages"
                raise DataError(what, where=told.name, todo="Try again later")
            held += page["observations"]
    if len(held) != count:
        what = f"sent {len(held)} of {count} observations of {series}"
        raise DataError(what, where=told.name, todo="Try again later")
    return held


def _client(service: Service) -> httpx2.Client:
    address = httpx2.URL(service.address)
    proxies = {} if proxy_bypass(address.host) else getproxies()
    transport = KeyTransport(fred_key(), proxy=proxies.get(address.scheme))
    return httpx2.Client(transport=transport, timeout=service.timeout, follow_redirects=False)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Requests for the pages of one series."""

    http: httpx2.Client
    service: Service
    series: str
    vintages: bool
    sleep: Callable[[float], None]

    @property
    def where(self) -> str:
        return f"{self.service.name} {self.series}"

    def page(self, offset: int) -> dict[str, Any]:
        """One page, by as many attempts as it needs and the service allows."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._read(self._attempt(offset))
            except _Again as again:
                failed = again
            if attempt >= self.service.attempts:
                raise DataError(failed.what, where=self.where, todo=failed.todo)
            wait = self.service.pause * 2 ** (attempt - 1) if failed.wait is None else failed.wait
            self.sleep(min(wait, self.service.longest_pause))

    def _attempt(self, offset: int) -> bytes:
        """The body of one answer of status 200."""
        params = {"series_id": self.series, "file_type": "json", "limit": str(self.service.page)}
        params |= {"offset": str(offset)} | (ALL_VINTAGES if self.vintages else {})
        problem = ""
        try:
            with self.http.stream("GET", self.service.address, params=params) as response:
                status, wait = response.status_code, _seconds(response.headers.get("retry-after", ""))
                body = _body(response, self.service)
        except httpx2.TimeoutException:
            problem = f"did not answer within {self.service.timeout:g} s"
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            problem = f"could not be reached or broke off ({type(error).__name__})"
        if problem:  # raised here, so that no exception of the client's is attached
            raise _Again(problem, todo="Check the connection, or try again later")
        self._check_status(status, body, wait)
        return body

    def _check_status(self, status: int, body: bytes, wait: float | None) -> None:
        if status == 200:
            return
        if status == 429:
            raise _Again("limits how often it may be asked", todo="Wait a minute, then try again", wait=wait)
        if status >= 500:
            raise _Again(f"answered with status {status}", todo="Try again later", wait=wait)
        said = _said(body)
        if "api_key" in said or status in {401, 403}:
            raise DataError(
                f"refuses the key (status {status})", where=self.where, todo=f"Correct {VARIABLE}"
            )
        told = f"answered with status {status}" + (f" ({said.rstrip('.')})" if said else "")
        raise DataError(told, where=self.where, todo="Look the series up at FRED, or try again later")

    def _read(self, body: bytes) -> dict[str, Any]:
        """The page that a body holds, each of its observations checked for what is read of it later."""
        page: Any = None
        with suppress(ValueError, RecursionError):  # the latter of lists within lists without end
            page = json.loads(body)
        if not isinstance(page, dict) or not isinstance(page.get("observations"), list):
            raise _Again("sent an answer that is broken", todo="Try again later")
        if not isinstance(page.get("count"), int) or not all(map(_is_observation, page["observations"])):
            what = "answers in a form that this version does not know"
            raise DataError(what, where=self.where, todo="Look for a newer version of neuter")
        return page


def _body(response: httpx2.Response, service: Service) -> bytes:
    """The whole body, within the deadline and the size that the service may have."""
    began, held = time.monotonic(), bytearray()
    for piece in response.iter_bytes():
        held += piece
        if len(held) > service.largest:
            raise DataError(
                f"sent more than {service.largest} bytes", where=service.name, todo="Try again later"
            )
        if time.monotonic() - began > service.deadline:
            raise _Again(f"took longer than {service.deadline:g} s", todo="Try again later")
    return bytes(held)


def _said(body: bytes) -> str:
    """FRED's own words on an error, short, on one line and without the key."""
    try:
        told = json.loads(body)["error_message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return " ".join(without_key(str(told)).split())[:200]


def without_key(text: str) -> str:
    """What a server said, without the key, however it wrote it.

    Raises:
        DataError: there is no key.
    """
    return re.sub(re.escape(fred_key()), "[key]", text, flags=re.IGNORECASE)


def _seconds(text: str) -> float | None:
    """Retry-After in seconds; None where it is absent or a date."""
    return float(text) if re.fullmatch(r"\d{1,6}", text.strip()) else None


def _is_observation(row: object) -> bool:
    names = ("date", "value", "realtime_start", "realtime_end")
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names):
        return False
    return all(_is_date(row[name]) for name in ("date", "realtime_start", "realtime_end"))


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
