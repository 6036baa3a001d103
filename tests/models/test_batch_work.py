"""The bookkeeping of one filling: what a closed batch leaves to be sent again."""

from batching import calls_for

from neuter.models.batch.rows import Closed, Ended
from neuter.models.batch.work import Work
from neuter.models.calls import Call


def work_with(call, rounds=1):
    work = Work([call], rounds)
    work.sort({call.key: "b"})
    return work


def test_a_batch_that_was_never_created_does_not_count_as_a_try():
    [call] = calls_for("u", 1)
    work = work_with(call)
    work.closed("b", Closed("lost", (Ended(call.key, None, "unreachable", None, "died"),)))
    assert (set(work.free), work.reasons, work.watched) == ({call.key}, {}, set())
    work.closed("c", Closed("harvested", (Ended(call.key, None, "transient", 500, "no"),)))
    assert (work.pending, work.reasons) == ({}, {call.key: "no (after 1 batch)"})


def test_the_response_that_is_to_be_replaced_is_no_answer():
    [first] = calls_for("u", 1)
    call = Call(first.key, first.body, 0, replaces="then")
    work = work_with(call, rounds=2)
    work.closed("b", Closed("harvested", (Ended(call.key, "then", "transient", 500, "no"),)))
    assert set(work.free) == {call.key}
    work.closed("c", Closed("harvested", (Ended(call.key, "now", "answered", 200, ""),)))
    assert (work.pending, work.reasons) == ({}, {})
