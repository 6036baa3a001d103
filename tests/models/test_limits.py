"""How hard a server is asked: places, turns and the pace, on a clock of their own."""

import asyncio
import math
import time

import pytest
from asking import questions

from neuter.models.dispatch import on_loop
from neuter.models.limits import FIRST, STREAK, TOKEN_CREDIT, Limits, limits_of
from neuter.models.pace import Pace
from neuter.models.places import Places
from neuter.models.testing import loopback_server


class Server:
    """A server that grants ``rate`` requests a second out of a bucket of ``burst``, on a clock without sleep."""

    def __init__(self, rate, burst):
        self.rate, self.burst, self.level, self.then = rate, burst, burst, 0.0

    def grants(self, now):
        self.level, self.then = min(self.burst, self.level + (now - self.then) * self.rate), now
        if self.level < 1:
            return False
        self.level -= 1
        return True


def granted_share(rate, burst, rest, seconds=120.0, begin=20.0):
    """The share of what a server allows that a client at the pace gets, once ``begin`` seconds are over."""
    pace, server, now, granted = Pace(), Server(rate, burst), 0.0, 0
    while now < seconds:
        pace.grow(now)
        if server.grants(now):
            pace.granted(now)
            granted += now > begin
            now += max(1 / pace.rate, 1 / 1500)
        else:
            pace.refused(now, rest)
            now += rest
    return granted / (rate * (seconds - begin))


@pytest.mark.parametrize("rate", [2.0, 20.0, 200.0])
@pytest.mark.parametrize("burst", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("rest", [0.05, 1.0])
def test_the_pace_settles_near_what_the_server_grants(rate, burst, rest):
    assert granted_share(rate, max(1.0, burst * rate), rest) >= 0.8


def test_the_pace_is_without_bound_until_the_first_refusal():
    pace = Pace()
    pace.granted(1.0)
    assert pace.rate == math.inf
    pace.refused(2.0)
    assert pace.rate < math.inf


def test_the_pace_finds_a_limit_that_was_raised():
    pace, now = Pace(), 0.0
    server = Server(10.0, 10.0)
    for second in range(90):
        if second == 30:
            server.rate = server.burst = 100.0
        while now < second + 1:
            pace.grow(now)
            if server.grants(now):
                pace.granted(now)
                now += 1 / pace.rate if pace.rate < math.inf else 0.001
            else:
                pace.refused(now, 1.0)
                now += 1.0
    assert pace.rate > 60


def places_taken(count, allowed, firsts=()):
    """The order in which ``count`` waiters get the one place of ``allowed``."""
    order = []

    async def take(places, name):
        await places.enter(first=name in firsts)
        order.append(name)
        await asyncio.sleep(0.001)
        places.leave()

    async def all_of_them():
        places = Places(lambda: allowed)
        await asyncio.gather(*(take(places, name) for name in range(count)))
        return places.inside

    assert on_loop(all_of_them()) == 0
    return order


def test_who_comes_again_goes_before_those_who_come_for_the_first_time():
    assert places_taken(5, 1) == [0, 1, 2, 3, 4]
    assert places_taken(5, 1, firsts={4}) == [0, 4, 1, 2, 3]


def test_a_place_of_one_who_gave_up_waiting_goes_to_the_next():
    async def scenario():
        places = Places(lambda: 1)
        await places.enter()
        waiting = [asyncio.ensure_future(places.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        places.leave()
        waiting[1].cancel()  # its place has come, and it does not know yet
        await asyncio.wait_for(waiting[2], 1)
        return places.inside

    assert on_loop(scenario()) == 1


def test_calls_at_once_grow_with_answers_and_are_halved_once_a_rest():
    async def scenario():
        limits, seen = Limits(1000), []
        seen.append(limits.allowed)
        for _ in range(84):
            limits.answered()
        seen.append(limits.allowed)
        async with limits.place() as turn:
            for _ in range(4):
                limits.pushed_back(turn.began, 0.0)
                seen.append(limits.allowed)
        return seen

    first, grown, *then, cut = on_loop(scenario())
    assert (first, grown) == (FIRST, FIRST + 84)
    assert then == [FIRST + 84] * 3  # one in ten of the last 32 or so are not refused yet
    assert cut == 1  # half of the one that was inside


def test_refusals_now_and_then_are_each_calls_own_affair():
    async def scenario():
        limits = Limits(1000)
        async with limits.place() as turn:
            for _ in range(300):
                for _ in range(30):
                    limits.answered()
                limits.pushed_back(turn.began, 60.0)
        started = time.monotonic()
        async with limits.place():
            return limits.allowed, limits.pace.rate, time.monotonic() - started

    allowed, rate, waited = on_loop(scenario())
    assert (allowed, rate) == (1000, math.inf)
    assert waited < 0.5


def test_refusals_of_calls_that_were_under_way_together_cut_once():
    async def scenario():
        limits = Limits(64)
        for _ in range(100):
            limits.answered()
        began = []

        async def call():
            async with limits.place() as turn:
                began.append(turn)
                await asyncio.sleep(0.05)
                limits.pushed_back(turn.began, 0.0)

        await asyncio.gather(*(call() for _ in range(40)))
        return limits.allowed

    # Four calls have left when the share of refusals is clear: half of the 37 that were inside.
    assert on_loop(scenario()) == 18


def test_one_failure_says_nothing_of_the_server_and_many_in_a_row_do():
    async def scenario():
        limits, told = Limits(64), []
        async with limits.place() as turn:
            for _ in range(STREAK - 1):
                limits.failed(turn.began)
            told.append(limits.allowed)
            limits.answered()
            limits.failed(turn.began)
            told.append(limits.allowed)
            for _ in range(STREAK):
                limits.failed(turn.began)
            told.append(limits.allowed)
        started = time.monotonic()
        async with limits.place():
            return told, time.monotonic() - started

    (few, interrupted, many), rested = on_loop(scenario())
    assert (few, interrupted) == (FIRST, FIRST + 1)
    assert many == 1
    assert 0.8 < rested < 2.0


def test_a_server_is_asked_within_one_set_of_limits_by_all_who_ask_it():
    async def scenario():
        one = limits_of("http://a/v1", 4)
        return one is limits_of("http://a/v1", 9), one.most, one is limits_of("http://b/v1", 4)

    assert on_loop(scenario()) == (True, 9, False)


def test_tokens_a_minute_space_the_calls_by_their_length(connected):
    # Each call: 4 + 12 // 4 tokens of prompt and 13 of answer reserved; the server counts 2 and 13.
    with loopback_server() as server, connected(server, extra="tokens_per_minute = 6000") as model:
        list(model.ask(questions(2, max_tokens=13)))  # the answers' length is known from here
        started = time.monotonic()
        list(model.ask([*questions(40, max_tokens=13)][2:]))
        passed = time.monotonic() - started
    assert passed >= 38 * 15 / 100 * 0.8  # 15 tokens at 100 a second


def test_tokens_a_minute_are_used_although_answers_are_shorter_than_was_thought(connected):
    def fifty(body):
        return "word " * 50

    with (
        loopback_server(answer=fifty) as server,
        connected(server, extra="tokens_per_minute = 60000") as model,
    ):
        list(model.ask(questions(1)))
        started = time.monotonic()
        list(model.ask(questions(100)))
        passed = time.monotonic() - started
    # 99 calls of 52 tokens at 1,000 a second; at the 300 that were expected of an answer they would take 30 seconds.
    assert 99 * 52 / 1000 - TOKEN_CREDIT - 0.5 <= passed <= 99 * 52 / 1000 * 1.3


def test_one_server_refusing_does_not_hold_up_a_long_run(connected):
    with (
        loopback_server(rate=100, burst=100, retry_after_as="seconds") as server,
        connected(server, concurrency=64) as model,
    ):
        started = time.monotonic()
        answered = sum(r.text is not None for r in model.ask(questions(600)))
        passed = time.monotonic() - started
    assert answered == 600
    assert model.usage.failed == 0
    assert 600 / (100 + 100 * passed) >= 0.8
