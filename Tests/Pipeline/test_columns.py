"""One column after the other of every table of a journal and the hub is changed with SQL, as listed in the catalogues.
Each time an audit must find the change. Every fourth column is changed, and with `FURROW_NIGHTLY=1` all of them.
"""

import sqlite3
from contextlib import closing

from nightly import NIGHTLY
from old_reports import ORIGIN, that_let_go

#: The row to change: one whose event still has its bytes, which prove it.
WHOLE = {"sealed": "pos = 1", "hub.entry": "octet_length(bytes) > 0 AND origin > 1",
         "hub.feed": "name LIKE 'catalog-orders/%'"}


def test_every_changed_column_of_a_journal_and_of_the_hub_is_found(own_farm):
    farm = that_let_go(own_farm)
    farm.audited()
    found, missed = {}, []
    changes = [*hub_changes(farm), *journal_changes(farm)][::1 if NIGHTLY else 4]
    # Last: the ledger stops following a journal if it meets a gap.
    for change in sorted(changes, key=lambda change: change.name == "entry.pos"):
        undo = change()
        try:
            code, told = farm.audit()
        finally:
            undo()
        problems = [f"{one['origin']}: {one['problem']}" for one in told["journals"] if not one["ok"]]
        if code == 1 and problems:
            found[change.name] = problems[0]
        else:
            missed.append(f"{change.name}: {code} {told['missing']} {told['broken']}")
    print("\n".join(f"{name}: {problem}" for name, problem in found.items()))
    assert not missed, missed
    tables = {name.rsplit(".", 1)[0] for name in found}
    print(f"{len(found)} columns of {len(tables)} tables changed, each found")
    assert len(found) >= (60 if NIGHTLY else 15) and len(tables) >= (13 if NIGHTLY else 8), (len(found), tables)
    farm.audited()


class Change:
    """One changed value of one row, and a function that restores it."""

    def __init__(self, name: str, make):
        self.name = name
        self.make = make

    def __call__(self):
        return self.make()


def journal_changes(farm):
    service, slot = ORIGIN.split("/")[0], ORIGIN.rsplit("-", 1)[1]
    path = farm.home / service / slot / "journal.db"

    def change(table: str, column: str):
        def put(value, where: str, *values) -> None:
            with closing(sqlite3.connect(path, timeout=20)) as database, database:
                done = database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value, *values))
                assert done.rowcount == 1, (table, column, done.rowcount)

        def make():
            with closing(sqlite3.connect(path, timeout=20)) as database:
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                rows = database.execute(f"SELECT * FROM {table} WHERE {WHOLE.get(table, 'true')}").fetchall()
            row = dict(zip(columns, rows[len(rows) // 2]))
            before, after = row[column], changed(row[column])
            where = " AND ".join(f"{name} = ?" for name in columns)
            put(after, where, *row.values())
            return lambda: put(before, where, *(row | {column: after}).values())

        return make

    with closing(sqlite3.connect(path, timeout=20)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f"PRAGMA table_info({table})").fetchall():
                yield Change(f"{table}.{row[1]}", change(table, row[1]))


def changed(value):
    if isinstance(value, str):
        return value + "x"
    return bytes([value[0] ^ 1]) + value[1:] if isinstance(value, bytes) else value + 1_000_003


def hub_changes(farm):
    def change(table: str, column: str, kind: str):
        def make():
            whole = f"SELECT ctid FROM {table} WHERE {WHOLE.get(table, 'true')} ORDER BY ctid"
            row = f"({whole} LIMIT 1 OFFSET (SELECT count(*) FROM ({whole}) AS rows) / 2)"
            before = farm.psql(f"SELECT quote_nullable({column}::text) FROM {table} WHERE ctid = {row}")
            after = {"bytea": f"sha256(coalesce({column}, '') || 'x')", "text": f"{column} || 'x'"}.get(
                kind, f"{column} + 1000003")
            place = unguarded(farm, f"UPDATE {table} SET {column} = {after} WHERE ctid = {row} RETURNING ctid")
            return lambda: unguarded(
                farm, f"UPDATE {table} SET {column} = {before} WHERE ctid = '{place}' RETURNING ctid")

        return make

    columns = farm.psql(
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'hub' "
        "ORDER BY table_name, ordinal_position")
    for table, column, kind in (line.split("|") for line in columns.splitlines()):
        yield Change(f"hub.{table}.{column}", change(f"hub.{table}", column, kind))


def unguarded(farm, sql: str) -> str:
    """Runs SQL with the triggers disabled, as the database's owner can; returns the row's position afterwards."""
    told = farm.psql(
        "SET client_min_messages = error; ALTER TABLE hub.entry DISABLE TRIGGER USER; "
        "ALTER TABLE hub.checkpoint DISABLE TRIGGER USER; "
        f"ALTER TABLE hub.entry DROP CONSTRAINT IF EXISTS let_go; {sql}").splitlines()
    assert told[-1] == "UPDATE 1", told
    return told[-2]
