"""The scheme `presidio`: its own findings, numbered by instance, and no server but the model's."""

from __future__ import annotations

import logging
import socket

import pytest

from neuter.corpus import restore
from neuter.errors import MissingExtra
from neuter.masking.presidio import Presidio
from neuter.types import Document

TEXT = "Tim Cook wrote to tim@example.com from Paris on Monday. Later Tim Cook left Paris."


def test_instances_are_numbered_and_repeated():
    (one,) = Presidio().mask([Document("d", TEXT)])
    by_text = [(TEXT[r.start : r.end], r.placeholder) for r in one.replacements or ()]
    assert by_text == [
        ("Tim Cook", "name_x"),
        ("tim@example.com", "link_x"),
        ("Paris", "location_x"),
        ("Monday", "time_x"),
        ("Tim Cook", "name_x"),
        ("Paris", "location_x"),
    ]
    replacements = list(one.replacements or ())
    assert restore(one.text or "", replacements, [TEXT[r.start : r.end] for r in replacements]) == TEXT


def test_no_connection_is_tried_and_nothing_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def refused(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refused)
    with caplog.at_level(logging.WARNING):
        list(Presidio().mask([Document("d", "Mail a@b.co.uk or see www.example.co.uk today.")]))
    assert not [r for r in caplog.records if "suffix" in r.message.lower() or r.exc_info]


def test_a_spacy_model_that_is_not_installed_is_a_clear_message():
    with pytest.raises(MissingExtra, match="no_such_model"):
        list(Presidio(spacy_model="no_such_model").mask([Document("d", "text")]))
