"""An audit accepts only pruned events that the journal records, and detects every changed value of what remains of
them.
"""

import json

import pytest
from old_reports import ORIGIN, that_let_go
from test_seals import replay

#: The columns of a log entry that an audit checks.
BELIEVED = {"hubpos", "origin", "epoch", "pos", "originhash", "hash", "bytes", "commitment"}
#: Columns without effect once there are no bytes: an event's search key, and the salt of its bytes.
IDLE = {"id", "salt"}


@pytest.fixture
def pruned_farm(own_farm):
    return that_let_go(own_farm)


def test_an_audit_accepts_only_pruned_events_that_the_journal_records(pruned_farm):
    farm = pruned_farm
    count = int(farm.psql("SELECT count(*) FROM hub.entry WHERE octet_length(bytes) = 0"))
    found = journals(farm.audited())
    assert count > 4000 and found["hub"]["letGo"] == found[ORIGIN]["letGo"] == count, (count, found)
    assert sum(one["letGo"] for one in found.values()) == 2 * count and found[ORIGIN]["seals"] >= 1
    said = farm.furrow("audit").stdout.decode()
    assert f"{count} of them were pruned" in said, said
    # A replay reports the number of missing events, and prints no empty line.
    for feed in ("hub", ORIGIN):
        done = replay("--origin", feed, "--home", str(farm.home), "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines[-1] == {"letGo": count} and all("type" in line for line in lines[:-1]), lines[-1]
        assert len(lines) - 1 == found[feed]["head"] - count and f"{count} pruned events".encode() in done.stderr

    # One more, as the guard of the hub's tables allows: no journal records it as pruned.
    where = "origin > 1 AND octet_length(bytes) > 0 AND convert_from(bytes, 'UTF8') LIKE '%sensors.measured%'"
    place, position = farm.psql(f"SELECT hubpos, pos FROM hub.entry WHERE {where} LIMIT 1").split("|")
    farm.psql(f"CREATE TABLE public.kept AS SELECT * FROM hub.entry WHERE hubpos = {place}")
    farm.psql(f"UPDATE hub.entry SET bytes = '', commitment = sha256(salt || bytes) WHERE hubpos = {place}")
    assert problem(farm) == (
        f"position {position} of {ORIGIN} is empty, and no event of the journal records it as pruned")
    put_back(farm, place)
    farm.audited()

    # Changes every column of a pruned event, the last before one that is not pruned.
    place = farm.psql(
        "SELECT max(hubpos) FROM hub.entry e WHERE octet_length(bytes) = 0 AND EXISTS "
        "(SELECT FROM hub.entry n WHERE n.hubpos = e.hubpos + 1 AND octet_length(n.bytes) > 0)")
    farm.psql(f"CREATE TABLE public.kept AS SELECT * FROM hub.entry WHERE hubpos = {place}")
    columns = dict(line.split("|") for line in farm.psql(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'hub' AND "
        "table_name = 'entry'").splitlines())
    problems, idle = {}, set()
    for column, kind in columns.items():
        changed = f"sha256({column} || hash)" if kind == "bytea" else f"{column} + 100000"
        for value in [changed, "NULL"] if column == "commitment" else [changed]:
            unguarded(farm, f"UPDATE hub.entry SET {column} = {value} WHERE hubpos = {place}")
            if found := problem(farm):
                problems[f"{column} = {value}"] = found
            else:
                idle.add(column)
            put_back(farm, place, keep=True)
    print("\n".join(f"{column}: {words}" for column, words in problems.items()))
    assert idle == IDLE and set(columns) == IDLE | BELIEVED, (idle, columns)
    assert {name.split(" ")[0] for name in problems} == BELIEVED and len(problems) == len(BELIEVED) + 1, problems
    # And an invented commitment beside bytes.
    other = farm.psql(f"SELECT min(hubpos) FROM hub.entry WHERE hubpos > {place} AND origin > 1")
    unguarded(farm, f"UPDATE hub.entry SET commitment = sha256(hash) WHERE hubpos = {other}")
    assert "cannot be read" in (problem(farm) or "")
    unguarded(farm, f"UPDATE hub.entry SET commitment = NULL WHERE hubpos = {other}")
    assert journals(farm.audited())["hub"]["letGo"] == count
    print(f"{count} events pruned; {len(problems)} changes of one pruned entry found")


def journals(found: dict) -> dict[str, dict]:
    return {one["origin"]: one for one in found["journals"]}


def problem(farm) -> str | None:
    """Returns the first finding of an audit, if any."""
    code, found = farm.audit()
    problems = [one["problem"] for one in found["journals"] if not one["ok"]]
    assert (code == 1) == bool(problems) and code in (0, 1), (code, found)
    return problems[0] if problems else None


def unguarded(farm, sql: str) -> None:
    """Runs SQL with the triggers disabled, as the database's owner can."""
    farm.psql(
        f"ALTER TABLE hub.entry DISABLE TRIGGER USER; ALTER TABLE hub.entry DROP CONSTRAINT IF EXISTS let_go; {sql}")


def put_back(farm, place: str, keep: bool = False) -> None:
    unguarded(farm, f"DELETE FROM hub.entry WHERE hubpos IN ({place}, {int(place) + 100000}); "
                    "INSERT INTO hub.entry SELECT * FROM public.kept")
    if not keep:
        farm.psql("DROP TABLE public.kept")
