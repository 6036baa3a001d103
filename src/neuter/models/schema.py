"""The store's tables, as numbered migrations: a store of an older version is brought up when it is opened."""

from __future__ import annotations

import sqlite3

#: Marks the file as a store of neuter ("nter"), so that no other database is ever written into.
APPLICATION_ID = 0x6E746572

#: Each entry brings the store from its index to the next version. Entries are only ever added.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE prompts (
            hash BLOB PRIMARY KEY,
            messages TEXT NOT NULL
        )""",
        """CREATE TABLE responses (
            key BLOB PRIMARY KEY,
            prompt BLOB NOT NULL REFERENCES prompts(hash),
            model TEXT NOT NULL,
            base_url TEXT NOT NULL,
            parameters TEXT NOT NULL,
            sample INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            text TEXT,
            finish_reason TEXT,
            reason TEXT NOT NULL,
            server_model TEXT,
            fingerprint TEXT,
            prompt_tokens INTEGER,
            completion_tokens INTEGER,
            latency REAL NOT NULL,
            created_at TEXT NOT NULL,
            extra TEXT
        )""",
        """CREATE TABLE attempts (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            number INTEGER NOT NULL,
            started_at TEXT NOT NULL,
            latency REAL NOT NULL,
            status INTEGER,
            kind TEXT NOT NULL,
            reason TEXT NOT NULL,
            prompt_tokens INTEGER,
            completion_tokens INTEGER
        )""",
        "CREATE INDEX attempts_by_key ON attempts(key)",
        "CREATE INDEX responses_by_model ON responses(model)",
    ),
)
NEWEST = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the store behind ``connection``; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether the file is a database of something else."""
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return bool(mark != APPLICATION_ID and tables)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the store to the newest version, in one transaction; two processes may both try."""
    if version_of(connection) == NEWEST:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in MIGRATIONS[version_of(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {NEWEST}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
