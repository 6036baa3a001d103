"""FRED and ALFRED against a loopback server: pages, vintages, and every way in which an answer can be bad."""

from __future__ import annotations

import logging
import threading
import traceback
from dataclasses import replace
from datetime import date

import pytest

from neuter.data.shipped_series import shipped_series
from neuter.data.sources import Sources, find_series, fred, fred_client
from neuter.data.sources.fred_client import observations
from neuter.errors import DataError

KEY = "0123456789abcdef0123456789abcdef"
TODAY = "2026-11-30"
OPEN = "9999-12-31"


@pytest.fixture(autouse=True)
def service(monkeypatch, loopback):
    told = replace(
        fred_client.fred_service(),
        address=loopback.address + "/fred/series/observations",
        timeout=5.0,
        pause=0.0,
    )
    monkeypatch.setenv("FRED_API_KEY", KEY)
    monkeypatch.setattr(fred_client, "fred_service", lambda: told)
    monkeypatch.setattr(fred, "fred_service", lambda: told)
    fred._asked.cache_clear()
    yield told
    fred._asked.cache_clear()


def page(rows, count=None):
    """Observations as FRED sends them: (date, value) of today, or (date, since, until, value)."""
    told = [
        dict(zip(("date", "realtime_start", "realtime_end", "value"), row, strict=True))
        if len(row) == 4
        else {"date": row[0], "realtime_start": TODAY, "realtime_end": TODAY, "value": row[1]}
        for row in rows
    ]
    return {
        "count": len(told) if count is None else count,
        "offset": 0,
        "limit": 100000,
        "observations": told,
    }


def test_latest_values_come_from_fred_and_first_prints_from_what_ships(loopback, answer):
    loopback.answers = [answer(page([("2008-11-01", "650"), ("2008-12-01", "561"), ("2009-01-01", ".")]))]
    series = find_series(
        "housing_starts", Sources(fred=True), first=date(2008, 12, 1), last=date(2008, 12, 1)
    )
    # 550 was the first print of December 2008 (Philadelphia Fed); 561 is what the server says.
    assert series.points.select("first", "latest").rows() == [(550.0, 561.0)]
    assert "Philadelphia Fed" in series.points["source"][0]
    assert "latest: FRED HOUST" in series.points["source"][0]
    assert loopback.asked[0]["series_id"] == "HOUST"
    assert "realtime_start" not in loopback.asked[0]


def test_unemployment_is_fred_s_latest_with_its_digits(loopback, answer):
    loopback.answers = [answer(page([("2009-10-01", "10.0"), ("2009-11-01", "9.9")]))]
    series = find_series(
        "unemployment_rate", Sources(fred=True), first=date(2009, 10, 1), last=date(2009, 11, 1)
    )
    assert series.points.select("latest", "first", "digits").rows() == [(10.0, 10.2, 1), (9.9, 10.0, 1)]


def test_inflation_is_the_change_over_twelve_months_to_one_decimal(loopback, answer):
    # CPI-U, not adjusted: 210.036 in December 2007 and 210.228 in December 2008 are 0.09 percent apart; the fall of
    # 0.03 percent in January is 0.0, and not -0.0.
    rows = [
        ("2007-12-01", "210.036"),
        ("2008-01-01", "211.080"),
        ("2008-12-01", "210.228"),
        ("2009-01-01", "211.017"),
    ]
    loopback.answers = [answer(page(rows))]
    series = find_series("inflation", Sources(fred=True), first=date(2008, 12, 1), last=date(2009, 1, 1))
    assert series.points.select("first", "latest", "digits").rows() == [(0.1, 0.1, 1), (0.0, 0.0, 1)]
    assert str(series.points["first"][1]) == "0.0"


def test_daily_yields_give_month_ends_and_what_ships_before_and_after(loopback, answer):
    rows = [("2023-08-31", "4.09"), ("2023-09-28", "4.59"), ("2023-09-29", "4.60"), ("2023-10-02", "4.69")]
    loopback.answers = [answer(page(rows))]
    series = find_series("treasury_10y", Sources(fred=True), first=date(2023, 7, 1), last=date(2023, 10, 31))
    shipped = dict(shipped_series("treasury_10y").values().rows())
    assert series.values().rows() == [
        (date(2023, 7, 31), shipped[date(2023, 7, 31)]),
        (date(2023, 8, 31), 4.09),
        (date(2023, 9, 29), 4.6),
        (date(2023, 10, 31), shipped[date(2023, 10, 31)]),
    ]


def test_a_gap_within_what_fred_covers_is_not_filled(loopback, answer):
    loopback.answers = [
        answer(page([("2008-12-29", "869.42"), ("2008-12-30", "."), ("2008-12-31", "903.25")]))
    ]
    series = find_series("sp500", Sources(fred=True), first=date(2008, 12, 26), last=date(2009, 1, 2))
    days = [day.day for day in series.points["date"]]
    assert days == [26, 29, 31, 2]
    assert series.gaps == (date(2008, 12, 30),)


def test_a_first_print_is_the_first_value_that_alfred_has(loopback, answer):
    rows = [
        ("2020-03-01", "2020-04-03", "2020-05-07", "4.4"),
        ("2020-03-01", "2020-05-08", OPEN, "4.4"),
        ("2020-04-01", "2020-05-08", "2021-01-07", "14.7"),
        ("2020-04-01", "2021-01-08", OPEN, "14.8"),
    ]
    loopback.answers = [answer(page(rows))]
    series = find_series(
        "unemployment_rate", Sources(alfred=True), first=date(2020, 4, 1), last=date(2020, 4, 1)
    )
    assert series.points.select("first", "latest").rows() == [(14.7, 14.8)]
    assert series.points["source"][0].startswith("ALFRED UNRATE")
    asked = loopback.asked[0]
    assert (asked["realtime_start"], asked["realtime_end"]) == ("1776-07-04", "9999-12-31")


def test_the_first_print_of_a_change_takes_the_month_before_from_the_same_vintage(loopback, answer):
    # December 2008: -524 on 2009-01-09 from 135,489 and 136,013; November had stood at 136,530 before that day.
    rows = [
        ("2008-10-01", "2008-11-07", OPEN, "136900"),
        ("2008-11-01", "2008-12-05", "2009-01-08", "136530"),
        ("2008-11-01", "2009-01-09", "2009-02-05", "136013"),
        ("2008-11-01", "2009-02-06", OPEN, "135800"),
        ("2008-12-01", "2009-01-09", "2009-02-05", "135489"),
        ("2008-12-01", "2009-02-06", OPEN, "135100"),
    ]
    loopback.answers = [answer(page(rows))]
    series = find_series(
        "nonfarm_payrolls", Sources(alfred=True), first=date(2008, 12, 1), last=date(2008, 12, 1)
    )
    assert series.points.select("first", "latest", "digits").rows() == [(-524.0, -700.0, 0)]


def test_growth_is_annualised_from_two_levels_of_one_vintage(loopback, answer):
    # 2008Q4 as of January 2009: 11,599.4 after 11,712.4 (Philadelphia Fed's file of vintages), -3.80 percent a year.
    rows = [
        ("2008-04-01", "2008-07-31", OPEN, "11700.0"),
        ("2008-07-01", "2008-10-30", "2009-01-29", "11720.0"),
        ("2008-07-01", "2009-01-30", OPEN, "11712.4"),
        ("2008-10-01", "2009-01-30", OPEN, "11599.4"),
    ]
    loopback.answers = [answer(page(rows))]
    series = find_series("gdp_growth", Sources(alfred=True), first=date(2008, 10, 1), last=date(2008, 10, 1))
    assert series.points.select("first", "digits").rows() == [(-3.8037, 1)]


def test_the_history_that_an_archive_begins_with_holds_no_first_prints(loopback, answer):
    rows = [
        ("1999-01-01", "1999-04-16", OPEN, "1800"),
        ("1999-02-01", "1999-04-16", OPEN, "1801"),
        ("1999-03-01", "1999-04-16", OPEN, "1802"),
        ("1999-04-01", "1999-05-18", OPEN, "1577"),
        ("1999-05-01", "1999-12-16", OPEN, "1700"),
    ]
    loopback.answers = [answer(page(rows))]
    series = find_series(
        "housing_starts", Sources(alfred=True), first=date(1999, 1, 1), last=date(1999, 5, 1)
    )
    own = [row["first"] for row in series.points.iter_rows(named=True) if row["source"].startswith("ALFRED")]
    # March is the newest of the first vintage; April came on time; May came after any release does.
    assert own == [1802.0, 1577.0]


def test_a_series_without_vintages_of_its_own_falls_through_alfred(loopback, answer):
    loopback.answers = [answer({}, status=500)]
    assert find_series("sp500", Sources(alfred=True)).hash == shipped_series("sp500").hash
    assert loopback.asked == []


def test_every_page_is_asked_for(loopback, answer, service):
    loopback.reply = lambda _, query: answer()
    loopback.reply = lambda _, query: answer(page([(f"2020-0{int(query['offset']) + 1}-01", "1")], count=3))
    rows = observations("UNRATE", vintages=False, service=replace(service, page=1))
    assert [row["date"] for row in rows] == ["2020-01-01", "2020-02-01", "2020-03-01"]
    assert [query["limit"] for query in loopback.asked] == ["1", "1", "1"]


def test_a_page_that_stays_away_is_an_error_and_not_a_shorter_series(loopback, answer):
    loopback.answers = [answer(page([("2020-01-01", "1")], count=2)), answer(page([], count=2))]
    with pytest.raises(DataError, match="sent 1 of 2 observations of UNRATE"):
        observations("UNRATE", vintages=False)


def test_an_answer_is_asked_for_once(loopback, answer):
    loopback.answers = [answer(page([("2009-10-01", "10.0")]))]
    for _ in range(3):
        find_series("unemployment_rate", Sources(fred=True))
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_tried_again(loopback, answer, status):
    loopback.answers = [answer({}, status=status), answer(page([("2009-10-01", "10.0")]))]
    assert observations("UNRATE", vintages=False)[0]["value"] == "10.0"
    assert len(loopback.asked) == 2


def test_pauses_follow_the_server_s_wish_and_grow_without_one(loopback, answer, service):
    waits: list[float] = []
    loopback.answers = [
        answer({}, status=429, headers={"Retry-After": "7"}),
        answer({}, status=429, headers={"Retry-After": "86400"}),
        answer({}, status=500),
        answer(page([("2009-10-01", "10.0")])),
    ]
    observations("UNRATE", vintages=False, service=replace(service, pause=2.0), sleep=waits.append)
    assert waits == [7.0, 65.0, 8.0]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"status": 429, "body": {}}, "FRED UNRATE: limits how often it may be asked. Wait a minute"),
        ({"status": 502, "body": b"<html>bad gateway</html>"}, "answered with status 502"),
        ({"body": b'{"count": 1, "observations": [{"da'}, "sent an answer that is broken"),
        ({"body": page([("2009-10-01", "10.0")]), "cut": True}, "could not be reached or broke off"),
        ({"body": b"<html>please log in to the network</html>"}, "sent an answer that is broken"),
        ({"body": []}, "sent an answer that is broken"),
    ],
)
def test_a_fault_that_stays_ends_after_four_attempts_and_is_named(loopback, answer, bad, told):
    loopback.answers = [answer(**bad)]
    with pytest.raises(DataError, match=told):
        observations("UNRATE", vintages=False)
    assert len(loopback.asked) == 4


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Bad Request.  The value for variable api_key is not registered.",
            r"FRED UNRATE: refuses the key \(status 400\). Correct FRED_API_KEY",
        ),
        ("Bad Request.  The series does not exist.", "status 400 .*The series does not exist"),
    ],
)
def test_a_refusal_is_told_at_once_and_not_tried_again(loopback, answer, message, told):
    loopback.answers = [answer({"error_code": 400, "error_message": message}, status=400)]
    with pytest.raises(DataError, match=told):
        observations("UNRATE", vintages=False)
    assert len(loopback.asked) == 1


def test_a_server_that_does_not_answer_is_given_up(loopback, answer, service):
    never = threading.Event()
    loopback.answers = [answer({}, delay=never)]
    with pytest.raises(DataError, match=r"did not answer within 0\.1 s"):
        observations("UNRATE", vintages=False, service=replace(service, timeout=0.1, attempts=2))
    never.set()
    assert len(loopback.asked) == 2


def test_a_server_that_is_not_there_is_named(service):
    with pytest.raises(
        DataError, match=r"could not be reached or broke off \(ConnectError\). Check the connection"
    ):
        observations("UNRATE", vintages=False, service=replace(service, address="http://127.0.0.1:9/fred"))


def test_an_answer_without_end_is_cut_off(loopback, answer, service):
    loopback.answers = [answer(page([("2009-10-01", "10.0")]))]
    with pytest.raises(DataError, match="sent more than 20 bytes"):
        observations("UNRATE", vintages=False, service=replace(service, largest=20))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], "has no observations"),
        ([("2009-10-01", ".")], "has no observations"),
        ([("2009-10-01", "ten")], "'ten' of 2009-10-01 is no number"),
        ([("2009-10-01", "-1.0")], "FRED UNRATE: sent -1 for 2009-10-01, which cannot be"),
        (
            [("2009-10-01", "10.0"), ("2009-10-01", "10.1")],
            "FRED UNRATE: sent two values for 2009-10-01 as of 2026-11-30",
        ),
        ([("2009-10-01", "inf")], "'inf' of 2009-10-01 is no number"),
        ([("October", "10.0")], "answers in a form that this version does not know"),
        ([("2009-10-01", 10.0)], "answers in a form that this version does not know"),
    ],
)
def test_observations_that_are_none_are_refused(loopback, answer, rows, told):
    loopback.answers = [answer(page(rows))]
    with pytest.raises(DataError, match=told):
        find_series("unemployment_rate", Sources(fred=True))


@pytest.mark.parametrize(
    ("key", "told"), [("", "FRED_API_KEY is not set"), ("abc def", "other signs than letters")]
)
def test_a_key_that_cannot_be_one_is_told_without_being_shown(monkeypatch, loopback, key, told):
    monkeypatch.setenv("FRED_API_KEY", key)
    with pytest.raises(DataError, match=told) as caught:
        observations("UNRATE", vintages=False)
    assert not key or key not in str(caught.value)
    assert loopback.asked == []


@pytest.mark.parametrize(
    "bad",
    [
        {"status": 400, "body": {"error_code": 400, "error_message": f"The value {KEY} is not registered."}},
        {"status": 404, "body": f"no such page: api_key={KEY}".encode()},
        {"status": 302, "body": b"", "headers": {"Location": "/elsewhere"}},
        {"status": 500, "body": {}},
        {"body": b"{", "cut": True},
    ],
)
def test_the_key_is_sent_and_is_in_no_error_log_or_traceback(loopback, answer, caplog, bad):
    caplog.set_level(logging.DEBUG)
    loopback.answers = [answer(**bad)]
    with pytest.raises(DataError) as caught:
        observations("UNRATE", vintages=False)
    assert {query["api_key"] for query in loopback.asked} == {KEY}
    shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=False).format())
    assert "HTTP Request: GET" in caplog.text or bad.get("cut")
    assert KEY not in shown + caplog.text + repr(caught.value)
    chained = [caught.value.__cause__, caught.value.__context__]
    assert not any(KEY in str(getattr(one, "request", "") and one.request.url) for one in chained if one)


def test_a_redirect_is_not_followed_with_the_key(loopback, answer):
    loopback.answers = [answer(b"", status=302, headers={"Location": f"{loopback.address}/elsewhere"})]
    with pytest.raises(DataError, match="answered with status 302"):
        observations("UNRATE", vintages=False)
    assert loopback.paths == ["/fred/series/observations"]


def test_a_month_end_with_two_values_is_refused_and_not_the_last_of_them_taken(loopback, answer):
    loopback.answers = [answer(page([("2023-09-29", "4.59"), ("2023-09-29", "4.60")]))]
    with pytest.raises(DataError, match="FRED DGS10: sent two values for 2023-09-29"):
        find_series("treasury_10y", Sources(fred=True))


def test_growth_of_a_level_that_cannot_be_is_refused(loopback, answer):
    loopback.answers = [answer(page([("2008-07-01", "0"), ("2008-10-01", "11599.4")]))]
    with pytest.raises(DataError, match="FRED GDPC1: sent 0 for 2008-07-01, which cannot be"):
        find_series("gdp_growth", Sources(fred=True))


def test_days_before_the_trading_calendar_are_left_out_of_daily_closes(loopback, answer):
    loopback.answers = [answer(page([("1971-02-05", "100.00"), ("2008-12-31", "1577.03")]))]
    series = find_series("nasdaq", Sources(fred=True), last=date(2008, 12, 31))
    assert series.points["date"].min() == shipped_series("nasdaq").points["date"].min()
    assert dict(series.values().rows())[date(2008, 12, 31)] == 1577.03


@pytest.mark.parametrize("count", [3, 10**12])
def test_a_server_that_sends_the_first_page_anew_is_not_asked_without_end(loopback, answer, service, count):
    loopback.answers = [answer(page([("2020-01-01", "1"), ("2020-02-01", "2")], count=count))]
    with pytest.raises(DataError, match="sent a page of UNRATE twice"):
        observations("UNRATE", vintages=False, service=replace(service, page=2))
    assert len(loopback.asked) == 2


def test_no_more_pages_are_asked_for_than_the_count_has(loopback, answer, service):
    # Pages half as long as they were asked for, each another.
    loopback.reply = lambda _, query: answer(
        page([(f"2020-01-{int(query['offset']) + 1:02d}", "1")], count=6)
    )
    with pytest.raises(DataError, match="sent 3 of 6 observations of UNRATE"):
        observations("UNRATE", vintages=False, service=replace(service, page=2))
    assert len(loopback.asked) == 3


def test_more_observations_than_were_counted_are_refused(loopback, answer):
    loopback.answers = [answer(page([("2020-01-01", "1"), ("2020-02-01", "2")], count=1))]
    with pytest.raises(DataError, match="sent 2 of 1 observations of UNRATE"):
        observations("UNRATE", vintages=False)


def test_lists_within_lists_without_end_are_a_broken_answer(loopback, answer):
    deep = b"[" * 200_000 + b"]" * 200_000
    loopback.answers = [answer(deep)]
    with pytest.raises(DataError, match="sent an answer that is broken"):
        observations("UNRATE", vintages=False)
    loopback.answers = [answer(deep, status=400)]
    with pytest.raises(DataError, match="answered with status 400"):
        observations("UNRATE", vintages=False)


@pytest.mark.parametrize("echo", [KEY, KEY.upper(), f"no value for {KEY}"])
def test_a_key_that_comes_back_as_a_value_is_not_shown(loopback, answer, echo):
    loopback.answers = [answer(page([("2009-10-01", echo)]))]
    with pytest.raises(DataError, match=r"\[key\]' of 2009-10-01 is no number") as caught:
        find_series("unemployment_rate", Sources(fred=True))
    assert KEY[:8] not in str(caught.value).lower()
