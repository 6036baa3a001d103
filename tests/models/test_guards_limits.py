"""Places, turns, rests and the pace, number by number."""

import asyncio
import math
import time

import pytest

from neuter.models.dispatch import on_loop
from neuter.models.limits import (
    FIRST,
    FIRST_REST,
    LONGEST_DEBT,
    LONGEST_REST,
    MEMORY,
    REQUEST_CREDIT,
    SHARE,
    STREAK,
    TOKEN_CREDIT,
    Limits,
    limits_of,
)
from neuter.models.pace import AT_ONCE, CEILING, CUT, HALF, LEAST, Pace
from neuter.models.pace import FIRST as FIRST_PACE
from neuter.models.places import Places


def on(scenario):
    async def go():
        return await asyncio.wait_for(scenario(), 10)

    return on_loop(go())


def refuse(limits, began, wait=0.0):
    """As many refusals as make one that counts."""
    for _ in range(math.ceil(math.log(1 - SHARE) / math.log(1 - 1 / MEMORY))):
        limits.pushed_back(began, wait)


# Places


def test_a_newcomer_does_not_pass_those_who_wait_though_there_is_room():
    order = []

    async def scenario():
        room = [1]
        places = Places(lambda: room[0])
        await places.enter()

        async def come(name):
            await places.enter()
            order.append(name)

        waiting = asyncio.ensure_future(come("first"))
        await asyncio.sleep(0)
        room[0] = 2  # and nobody has been woken yet
        late = asyncio.ensure_future(come("late"))
        await asyncio.sleep(0)
        assert order == []
        places.wake()
        await waiting
        places.leave()
        await late

    on(scenario)
    assert order == ["first", "late"]


def test_one_wake_lets_in_all_whom_there_is_room_for():
    async def scenario():
        room = [0]
        places = Places(lambda: room[0])
        waiting = [asyncio.ensure_future(places.enter()) for _ in range(5)]
        await asyncio.sleep(0)
        room[0] = 3
        places.wake()
        await asyncio.sleep(0.01)
        for task in waiting:
            task.cancel()
        return places.inside, sum(task.done() and not task.cancelled() for task in waiting)

    assert on(scenario) == (3, 3)


def test_who_gives_up_before_a_place_came_gives_none_back():
    async def scenario():
        places = Places(lambda: 1)
        await places.enter()
        waiting = asyncio.ensure_future(places.enter())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return places.inside

    assert on(scenario) == 1


# Limits


def test_the_largest_of_several_callers_limits_holds():
    async def scenario():
        one = limits_of("http://largest/v1", 9)
        limits_of("http://largest/v1", 4)
        return one.most

    assert on(scenario) == 9


@pytest.mark.parametrize(("most", "allowed"), [(4, 4), (1000, FIRST)])
def test_a_server_is_first_asked_with_few_calls_and_never_more_than_the_most(most, allowed):
    async def scenario():
        limits = Limits(most)
        first = limits.allowed
        for _ in range(3):
            limits.answered()
        return first, limits.allowed, limits._allowed

    first, then, inner = on(scenario)
    assert first == allowed
    assert then == min(most, allowed + 3)
    assert inner <= max(most, FIRST + 3)


def test_what_was_learned_starts_from_the_most_and_not_above_it():
    async def scenario():
        limits = Limits(4)
        async with limits.place() as turn:
            refuse(limits, turn.began)
        before = limits.allowed
        limits.answered()
        return before, limits.allowed

    assert on(scenario) == (1, 2)


def test_an_answer_lets_in_who_waits():
    async def scenario():
        limits = Limits(1000)
        for _ in range(FIRST):
            await limits._places.enter()
        waiting = asyncio.ensure_future(limits._places.enter())
        await asyncio.sleep(0)
        limits.answered()
        await asyncio.wait_for(waiting, 1)
        return limits._places.inside

    assert on(scenario) == FIRST + 1


def test_after_the_first_refusal_calls_at_once_grow_by_one_a_round():
    async def scenario():
        limits = Limits(1000)
        for _ in range(8):
            await limits._places.enter()
        refuse(limits, time.monotonic())
        told = [limits.allowed]
        for _ in range(4):
            limits.answered()
        told.append(limits.allowed)
        for _ in range(40):
            limits.answered()
        told.append(limits.allowed)
        return told

    # From 4: 4.25, 4.49, 4.71, 4.92; by 40 more to about the root of 4 * 4 + 2 * 44.
    assert on(scenario) == [4, 4, 10]


def test_a_refusal_that_counts_begins_the_count_anew():
    async def scenario():
        limits = Limits(1000)
        refuse(limits, time.monotonic())
        told = [limits._refused]
        limits.pushed_back(time.monotonic(), 60.0)
        return told, limits._rest_until < time.monotonic() + 1

    assert on(scenario) == ([0.0], True)


def test_the_wait_that_a_server_asks_for_is_everybodys_and_the_pace_is_learned():
    async def scenario():
        limits = Limits(100)
        refuse(limits, time.monotonic(), 0.3)
        began = time.monotonic()
        async with limits.place():
            return time.monotonic() - began, limits.pace.rate

    waited, rate = on(scenario)
    assert 0.25 < waited < 2.0
    assert rate < 1000


def test_a_shorter_rest_does_not_end_a_longer_one():
    async def scenario():
        limits = Limits(100)
        limits.rest(0.3)
        limits.rest(0.0)
        began = time.monotonic()
        async with limits.place():
            return time.monotonic() - began

    assert on(scenario) > 0.25


def test_a_rest_that_comes_while_one_waits_for_its_turn_holds_for_it_as_well():
    async def scenario():
        limits = Limits(100)
        limits.rest(0.1)
        began = time.monotonic()

        async def come():
            async with limits.place():
                return time.monotonic() - began

        waiting = asyncio.ensure_future(come())
        await asyncio.sleep(0.02)
        limits.rest(0.4)
        return await waiting

    assert on(scenario) > 0.35


def test_each_further_streak_rests_twice_as_long_up_to_the_longest():
    async def scenario():
        limits, rests = Limits(100), []
        for _ in range(8):
            for _ in range(STREAK):
                limits.failed(time.monotonic() + 1e6)
            rests.append(limits._rest_until - time.monotonic())
            limits._rest_until = 0.0
        return rests

    rests = on(scenario)
    expected = [min(LONGEST_REST, FIRST_REST * 2.0**n) for n in range(8)]
    assert rests == pytest.approx(expected, abs=0.2)


def test_a_streak_is_as_long_as_the_calls_that_are_under_way_together():
    async def scenario():
        limits = Limits(100)
        for _ in range(STREAK + 4):
            await limits._places.enter()
        began = time.monotonic()
        for _ in range(STREAK + 3):
            limits.failed(began)
        before = limits.allowed
        limits.failed(began)
        after = limits.allowed
        rest = limits._rest_until
        limits.failed(began)  # it began before the cut: it says nothing new
        return before, after, limits.allowed, limits._rest_until == rest

    assert on(scenario) == (FIRST, (STREAK + 4) // 2, (STREAK + 4) // 2, True)


def test_one_call_at_once_is_the_least():
    async def scenario():
        limits = Limits(100)
        for _ in range(3):
            refuse(limits, time.monotonic() + 1e6)
        return limits.allowed, limits._allowed

    assert on(scenario) == (1, 1.0)


def test_requests_a_minute_hold_though_the_pace_is_without_bound():
    async def scenario():
        limits, at = Limits(100, requests_per_minute=600), []

        async def come():
            async with limits.place() as turn:
                at.append(turn.began)

        await asyncio.gather(*(come() for _ in range(5)))
        return at[-1] - at[0]

    # Four gaps of a tenth of a second; half of one may be made up for.
    assert 0.3 < on(scenario) < 2.0


def test_the_pace_holds_where_nothing_was_configured():
    async def scenario():
        limits, at = Limits(100), []
        limits.pace.refused(time.monotonic())  # four a second

        async def come():
            async with limits.place() as turn:
                at.append(turn.began)

        await asyncio.gather(*(come() for _ in range(3)))
        return at[-1] - at[0]

    assert 0.3 < on(scenario) < 2.0


def test_an_answer_is_seen_by_the_pace_and_as_the_last_one():
    async def scenario():
        limits = Limits(100)
        limits.last_answer = 0.0
        limits.answered()
        return len(limits.pace._granted), time.monotonic() - limits.last_answer < 1

    assert on(scenario) == (1, True)


def test_tokens_taken_beyond_the_reserved_ones_delay_the_next():
    async def scenario():
        limits = Limits(100, tokens_per_minute=6000)
        async with limits.place(lambda: 10):
            first = limits._next_tokens
        limits.correct(30)
        limits.correct(-5)
        return limits._next_tokens - first

    assert on(scenario) == pytest.approx(0.25)


# Pace


def pace_after(grants, refused_at):
    pace = Pace()
    for at in grants:
        pace.granted(at)
    pace.refused(refused_at)
    return pace


def test_the_first_refusal_sets_the_pace_to_what_was_granted_of_late():
    # 30 within the last five seconds, 100 before: they are forgotten.
    grants = [0.01 * n for n in range(100)] + [10 + 0.1 * n for n in range(30)]
    assert pace_after(grants, 13.0).rate == pytest.approx(30 / 3.0)
    assert pace_after([0.01 * n for n in range(100)], 10.0).rate == FIRST_PACE


def test_a_burst_is_measured_over_half_a_second_at_least():
    assert pace_after([10.0] * 20, 10.001).rate == pytest.approx(40.0)
    assert pace_after([10.0], 14.0).rate == FIRST_PACE


def test_only_the_last_seconds_are_remembered():
    pace = Pace()
    for n in range(1000):
        pace.granted(0.1 * n)
    assert len(pace._granted) <= 52


def test_refusals_within_a_second_are_one_and_slow_ones_within_their_gap():
    pace = pace_after([], 10.0)
    pace.refused(10.9)
    assert pace.rate == pytest.approx(FIRST_PACE * math.exp(0.7 * 0.9))
    slow = Pace()
    slow._rate, slow._refused, slow._changed = 0.5, 10.0, 100.0
    slow.refused(11.5)  # one request in two seconds, and nothing was granted since
    assert slow._refused == 10.0
    slow.refused(12.5)
    assert slow._refused == 12.5


@pytest.mark.parametrize(("granted", "share"), [(0, HALF), (10, CUT)])
def test_a_refusal_right_after_the_last_one_halves_and_a_later_one_takes_a_little(granted, share):
    pace = Pace()
    pace._rate, pace._refused, pace._changed = 8.0, 0.0, 10.0
    pace._since = granted
    assert (granted < AT_ONCE * 8.0) == (share == HALF)
    pace.refused(10.0)
    assert pace.rate == pytest.approx(8.0 * share)
    assert pace._ceiling == pytest.approx(8.0 * CEILING)


def test_the_pace_has_a_least():
    pace = Pace()
    pace._rate, pace._refused, pace._changed = LEAST, 0.0, 100.0
    pace.refused(100.0)
    assert pace.rate == LEAST


def test_the_pace_does_not_grow_during_the_rest_that_a_server_asked_for():
    pace = Pace()
    pace.refused(10.0, 5.0)
    pace.grow(15.0)
    assert pace.rate == FIRST_PACE
    pace.grow(16.0)
    assert pace.rate > FIRST_PACE


def test_a_long_pause_is_one_step_of_growth():
    pace = Pace()
    pace.refused(10.0)
    pace.grow(1000.0)
    # The ceiling is not known: seven tenths a second, as far below it.
    assert pace.rate == pytest.approx(FIRST_PACE * math.exp(0.7))


# Turns


def test_without_a_pace_and_a_rest_nobody_stands_in_line():
    async def scenario():
        limits = Limits(100)
        async with limits._line, limits.place():
            pass
        limits.rest(0.2)
        began = time.monotonic()
        async with limits.place():
            return time.monotonic() - began

    assert on(scenario) > 0.15


def test_tokens_that_were_given_back_are_used_by_who_waits_at_once():
    async def scenario():
        limits = Limits(100, tokens_per_minute=60)
        async with limits.place(lambda: 100):
            pass
        began = time.monotonic()

        async def come():
            async with limits.place(lambda: 1):
                return time.monotonic() - began

        waiting = asyncio.ensure_future(come())
        await asyncio.sleep(0.05)
        limits.correct(-100)
        return await asyncio.wait_for(waiting, 5)

    assert on(scenario) < 2


def test_a_pause_is_made_up_for_only_a_little():
    limits = Limits(100, requests_per_minute=60, tokens_per_minute=60)
    limits._next_request = limits._next_tokens = 0.0
    limits._take(1000.0, lambda: 20)
    assert limits._next_request == pytest.approx(1000.0 - REQUEST_CREDIT + 1.0)
    assert limits._next_tokens == pytest.approx(1000.0 - TOKEN_CREDIT + 20.0)


def test_one_answer_of_countless_tokens_does_not_hold_all_up_for_days():
    limits = Limits(100, tokens_per_minute=60)
    limits.correct(10**9)
    assert limits._next_tokens - time.monotonic() <= LONGEST_DEBT
