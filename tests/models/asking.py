"""Requests for the tests of the runner."""

from neuter.types import Request


def questions(count, **parameters):
    return [Request(f"id{i}", (("user", f"question {i}"),), parameters) for i in range(count)]
