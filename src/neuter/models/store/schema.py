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
    (
        "ALTER TABLE responses ADD COLUMN channel TEXT NOT NULL DEFAULT 'online'",
        "ALTER TABLE responses ADD COLUMN cached_tokens INTEGER",
        "ALTER TABLE responses ADD COLUMN reasoning_tokens INTEGER",
        "ALTER TABLE responses ADD COLUMN cost REAL",
        # Columns as in responses, whatever later versions add there.
        "CREATE TABLE earlier_responses AS SELECT *, '' AS replaced_at FROM responses WHERE 0",
        "CREATE INDEX earlier_responses_by_key ON earlier_responses(key)",
        """CREATE TABLE sessions (
            id INTEGER PRIMARY KEY,
            host TEXT NOT NULL,
            pid INTEGER NOT NULL,
            pid_started REAL NOT NULL,
            started_at TEXT NOT NULL,
            ended_at TEXT
        )""",
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            command TEXT NOT NULL,
            folder TEXT,
            started_at TEXT NOT NULL
        )""",
        # An attempt now has a row before it has ended: SQLite lifts no NOT NULL, so the table is made anew.
        "DROP INDEX attempts_by_key",
        "ALTER TABLE attempts RENAME TO attempts_1",
        """CREATE TABLE attempts (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            number INTEGER NOT NULL,
            model TEXT,
            base_url TEXT,
            channel TEXT NOT NULL DEFAULT 'online',
            session INTEGER,
            run TEXT,
            started_at TEXT NOT NULL,
            lease REAL,
            latency REAL,
            status INTEGER,
            kind TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            prompt_tokens INTEGER,
            completion_tokens INTEGER,
            cost REAL,
            estimated_cost REAL
        )""",
        """INSERT INTO attempts
            (id, key, number, started_at, latency, status, kind, reason, prompt_tokens, completion_tokens)
            SELECT id, key, number, started_at, latency, status, kind, reason, prompt_tokens, completion_tokens
            FROM attempts_1""",
        "DROP TABLE attempts_1",
        """UPDATE attempts SET (model, base_url) =
            (SELECT model, base_url FROM responses WHERE responses.key = attempts.key)""",
        "CREATE INDEX attempts_by_key ON attempts(key)",
        "CREATE INDEX attempts_under_way ON attempts(key) WHERE kind = 'under_way'",
        "CREATE INDEX attempts_by_run ON attempts(run) WHERE run IS NOT NULL",
        """CREATE TABLE batches (
            id TEXT PRIMARY KEY,
            model TEXT NOT NULL,
            base_url TEXT NOT NULL,
            run TEXT,
            state TEXT NOT NULL,
            requests INTEGER NOT NULL,
            input_file TEXT,
            remote TEXT,
            created_at TEXT NOT NULL,
            changed_at TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT ''
        )""",
        """CREATE TABLE batch_requests (
            batch TEXT NOT NULL REFERENCES batches(id),
            key BLOB NOT NULL,
            prompt BLOB NOT NULL REFERENCES prompts(hash),
            parameters TEXT NOT NULL,
            sample INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            PRIMARY KEY (batch, key)
        ) WITHOUT ROWID""",
        "CREATE INDEX batch_requests_by_key ON batch_requests(key)",
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
