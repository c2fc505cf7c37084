"""An audit must detect damage: one value is changed in each table (or a row added to an empty one) and one byte in a
journal. Each time the audit must name the place.
"""

import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

import pytest
from client import Client, until
from farm import Farm, hand_over, new_home
from market import put_up_for_sale, sign_up
from nightly import NIGHTLY
from tags import Tag

LATER = 1500
#: Columns with a fixed set of values: the service must still be able to read the row.
WORDS = {"cause": "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", "recipient": "sandbox",
         "kind": "push", "state": "active", "outcome": "sent", "place": "store/s1"}


@pytest.fixture(scope="module")
def full(story):
    """The shared farm with data in every table, including an active alarm and a passport."""
    client = story.client
    story.radio.report(story.cold, temperature=14.5, humidity=88, voltage=3.0)
    until(lambda: any(row["place"] == "store/s1" for row in client.items("/v1/alarms")), 10, "the alarm")
    until(lambda: client.get("/v1/lots/TOM-1")["alarm"], 10, "the alarm in the ledger")
    assert client.call("GET", "/v1/lots/TOM-1A/passport").status == 200
    client.make("PUT", "/v1/goods/tomatoes", {"title": "Tomatoes", "products": ["Tomatoes"], "limits": [
        {"quantity": "humidity", "below": 1}]})
    # More entries than a journal verifies when it is opened.
    tags = [Tag(number, family=0xF0) for number in range(10)]
    for _ in range(LATER // 10):
        client.make("POST", "/v1/adverts", {"adverts": [tag.advert() for tag in tags]})
    sell(story.farm, client)
    take_stock(client)
    return story.farm


def take_stock(client) -> None:
    """Creates data in every table of inventories: a finished stocktake with a decision."""
    client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})
    for item in ("saw", "spade"):
        client.make("PUT", f"/v1/items/{item}", {"inventory": "tools", "title": item})
    client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "autumn", "title": "Autumn"})
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    client.make("POST", "/v1/stocktakes/autumn/sightings", {
        "sightings": [{"thing": "item/saw", "at": at, "how": "picked"}]})
    client.make("POST", "/v1/stocktakes/autumn/resolutions", {"thing": "item/spade", "as": "missing"})
    assert client.make("POST", "/v1/stocktakes/autumn/finish", {})["missing"] == 1


def sell(farm, client) -> None:
    """Creates data in every table of the market and the recommender: orders, a cart, a favourite, an erased person."""
    put_up_for_sale(client, boxes=20)
    buyers = [Client(farm.port, sign_up(farm, number)) for number in range(3)]
    lines = [{"offer": "tomatoes-1", "quantity": 1}]
    orders = [one.make("POST", "/v1/orders", {"lines": lines, "pickup": "barn"})["order"] for one in buyers]
    client.make("POST", f"/v1/sales/{orders[0]}/collections", {})
    buyers[0].make("PUT", "/v1/favourites/product/tomatoes", {})
    buyers[1].make("PUT", "/v1/cart", {"lines": lines})
    assert buyers[2].settle("DELETE", "/v1/me").status in (200, 204)
    until(lambda: client.get("/v1/shelves")["shelves"] and client.get("/v1/shelves").get("model"), 20, "a model")
    until(lambda: any(event["type"].endswith("person-erased.v1") for event in farm.replay()), 20, "the erasure")


def test_one_changed_value_in_any_table_is_named(full):
    """Each audit follows one change in a table of every service: tables are compared service by service."""
    tables: dict[str, list[tuple[str, str]]] = {}
    views = full.audited()["views"]
    for view in views:
        tables.setdefault(view["service"], []).append((view["service"], view["view"]))
    caught, missed = [], []
    for changed in [*zip_longest(*tables.values())][::1 if NIGHTLY else 3]:
        wanted = {table for table in changed if table}
        undos = [change(full, *table) for table in sorted(wanted)]
        try:
            code, found = full.audit()
        finally:
            for undo in undos:
                undo()
        unequal = {(one["service"], one["view"]) for one in found["views"] if not one["equal"]}
        if code == 1 and not found["ok"] and unequal == wanted:
            caught += [f"{service.split('/')[0]} {table}" for service, table in sorted(wanted)]
        else:
            missed.append(f"{sorted(wanted)}: {code} {sorted(unequal)} {found.get('missing')}")
    assert not missed, "\n".join(missed)
    print(f"{len(caught)} tables, each caught: {', '.join(sorted(caught))}")
    assert len(caught) == len(views) >= 36 if NIGHTLY else len(caught) >= 12
    full.audited()


def change(farm, service: str, table: str):
    """Changes one value of one row through a separate connection; returns a function that restores it."""
    if service.startswith("trace-ledger/"):
        return change_in_postgres(farm, table)
    path = farm.home / service.split("/")[0] / service.rsplit("-", 1)[1] / "views.db"
    return change_in_sqlite(path, table)


def change_in_sqlite(path: Path, table: str):
    def put(statement: str, *values) -> None:
        with closing(sqlite3.connect(path, timeout=20)) as database, database:
            assert database.execute(statement, values).rowcount == 1

    with closing(sqlite3.connect(path, timeout=20)) as database:
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")') if row[1] != "key"]
        rows = database.execute(f'SELECT key, {", ".join(columns)} FROM "{table}" ORDER BY key LIMIT 1').fetchall()
        kinds = {row[1]: row[2] for row in database.execute(f'PRAGMA table_info("{table}")')}
    if not rows:
        # An empty table gets an extra row.
        invented = ["1" if "INT" in kinds[name] or kinds[name] == "REAL" else WORDS.get(name, "x") for name in columns]
        names, places = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * (len(columns) + 1))
        put(f'INSERT INTO "{table}"(key, {names}) VALUES ({places})', "invented", *invented)
        return lambda: put(f'DELETE FROM "{table}" WHERE key = ?', "invented")
    key, *cells = rows[0]
    # A number if possible: the service must still be able to read its row.
    filled = [(name, cell) for name, cell in zip(columns, cells) if cell is not None]
    numbers = [one for one in filled if not isinstance(one[1], str)]
    column, value = numbers[-1] if numbers else filled[0]
    statement = f'UPDATE "{table}" SET "{column}" = ? WHERE key = ?'
    put(statement, value + "x" if isinstance(value, str) else value + 1, key)
    return lambda: put(statement, value, key)


def change_in_postgres(farm, table: str):
    columns = farm.psql(
        "SELECT column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = 'views' AND "
        f"table_name = '{table}' AND column_name <> 'key' ORDER BY ordinal_position").splitlines()
    # A number if possible: the service must still be able to read its row.
    for told in sorted(reversed(columns), key=lambda told: told.endswith(" text")):
        column, kind = told.split(" ", 1)
        changed = f'"{column}" || \'x\'' if kind == "text" else f'"{column}" + 1'
        row = f'(SELECT key FROM views."{table}" WHERE "{column}" IS NOT NULL ORDER BY key LIMIT 1)'
        before = farm.psql(
            f'SELECT quote_literal("{column}") || chr(10) || quote_literal(key) FROM views."{table}" WHERE key = {row}')
        if not before:
            continue
        literal, key = before.rsplit("\n", 1)
        farm.psql(f'UPDATE views."{table}" SET "{column}" = {changed} WHERE key = {key}')
        return lambda: farm.psql(f'UPDATE views."{table}" SET "{column}" = {literal} WHERE key = {key}')
    names = [told.split(" ", 1)[0] for told in columns]
    invented = ["'x'" if told.endswith(" text") else "1" for told in columns]
    farm.psql(f'INSERT INTO views."{table}"(key, {", ".join(names)}) VALUES (\'invented\', {", ".join(invented)})')
    return lambda: farm.psql(f'DELETE FROM views."{table}" WHERE key = \'invented\'')


@pytest.fixture
def copy(full):
    """Returns a copy of the farm's home, taken while it was stopped."""
    full.stop()
    home = new_home()
    subprocess.run(["cp", "-a", f"{full.home}/.", home], check=True)
    full.start()
    farm = Farm(home=home)
    yield farm
    farm.destroy()


def test_an_unreadable_table_is_reported_with_its_service(copy):
    copy.start()
    before = copy.audited()
    origin, path = "catalog-orders/farm-0", copy.home / "catalog-orders" / "0" / "views.db"
    assert not before["broken"] and any(view["service"] == origin for view in before["views"])

    def put(value, key: str) -> None:
        with closing(sqlite3.connect(path, timeout=20)) as database, database:
            assert database.execute("UPDATE favourite SET since = ? WHERE key = ?", (value, key)).rowcount == 1

    with closing(sqlite3.connect(path, timeout=20)) as database:
        key, value = database.execute("SELECT key, since FROM favourite").fetchone()
    put(b"\x07", key)
    code, found = copy.audit()
    print(f"{origin}: {found['broken']}")
    assert code == 1 and not found["ok"] and not found["missing"]
    assert [told.split(": ")[0] for told in found["broken"]] == [f"{origin} cannot read its own tables"]
    # Nothing else is wrong, and unreadable tables have no further findings.
    assert all(journal["ok"] for journal in found["journals"]) and len(found["journals"]) == len(before["journals"])
    others = [view["view"] for view in before["views"] if view["service"] != origin]
    assert [view["view"] for view in found["views"]] == others and all(view["equal"] for view in found["views"])

    def told():
        done = copy.furrow("audit", check=False)
        # A service that cannot read its tables ends, and is restarted.
        return done.returncode != 3 and done

    said = until(told, 60, "the service to respond again")
    assert said.returncode == 1 and f"BROKEN: {origin} cannot read its own tables".encode() in said.stdout
    assert b"NOT well" in said.stdout
    put(value, key)
    until(lambda: copy.audit()[0] == 0, 60, "a clean audit with the value restored")
    assert copy.audited()["views"] == before["views"]


def test_one_changed_byte_in_a_journal_is_named_with_its_place(copy):
    position = bend(copy, "SELECT pos, bytes FROM entry WHERE instr(bytes, CAST('18.25' AS BLOB)) > 0 LIMIT 1",
                    b"18.25", b"18.24")
    copy.start()
    code, found = copy.audit()
    told = next(journal for journal in found["journals"] if journal["origin"] == "sensor-ingest/farm-0")
    print(f"changed at {position}: {told['problem']}")
    assert code == 1 and not found["ok"] and not told["ok"]
    assert [int(word) for word in told["problem"].split() if word.isdigit()] == [position]
    others = [journal for journal in found["journals"] if journal["origin"] != "sensor-ingest/farm-0"]
    assert len(others) >= 3 and all(journal["ok"] for journal in others), others
    assert not found["missing"] and all(view["equal"] for view in found["views"]) and len(found["views"]) >= 15


def flip(farm, column: str, position: int) -> None:
    """Flips a bit of an entry of the hub; flipping it again restores it."""
    farm.psql(
        f"ALTER TABLE hub.entry DISABLE TRIGGER USER; UPDATE hub.entry SET {column} = "
        f"set_byte({column}, 5, get_byte({column}, 5) # 1) WHERE hubpos = {position}")


def test_two_damaged_entries_of_the_hub_are_both_named_and_every_table_is_still_compared(copy):
    copy.start()
    before = copy.audited()
    head = next(journal["head"] for journal in before["journals"] if journal["origin"] == "hub")
    low, high = head // 3, head - head // 4
    flip(copy, "bytes", low)
    flip(copy, "hash", high)
    code, found = copy.audit()
    hub = next(journal for journal in found["journals"] if journal["origin"] == "hub")
    print(f"hub of {head} events, damaged at {low} and {high}: {hub['problems']}")
    assert code == 1 and {f"the chain breaks at {low}", f"the chain breaks at {high}"} <= set(hub["problems"])
    assert sum("the chain breaks at" in problem for problem in hub["problems"]) <= 3
    assert len(found["views"]) == len(before["views"]) >= 36
    # The text output names them, too.
    said = copy.furrow("audit", check=False).stdout.decode()
    assert said.count("the chain breaks at") >= 2 and "0 of 0" not in said, said


def test_an_audit_reads_the_store_and_no_cached_page(copy):
    copy.start()
    head = next(journal["head"] for journal in copy.audited()["journals"] if journal["origin"] == "hub")
    places = [head // 4, head // 2, head - head // 4]
    wrong = []
    for column in ("bytes", "hash"):
        for place in places:
            flip(copy, column, place)
            code, found = copy.audit()
            flip(copy, column, place)
            hub = next(journal for journal in found["journals"] if journal["origin"] == "hub")
            if code != 1 or f"the chain breaks at {place}" not in hub["problems"]:
                wrong.append(f"{column} of {place}: {code} {hub['problems']} {found['missing']}")
    assert not wrong, "\n".join(wrong)
    copy.audited()
    print(f"{len(places) * 2} flips in turn, each named by the audit that followed it")


def test_a_journal_whose_end_was_changed_is_not_opened(copy):
    position = bend(copy, "SELECT pos, bytes FROM entry ORDER BY pos DESC LIMIT 1", b"farm.furrow.", b"farm.Furrow.")
    with pytest.raises(AssertionError) as refused:
        copy.start(seconds=60)
    assert copy.process.wait(30) == 3, copy.said.read_text()
    log = (copy.home / "logs" / "sensor-ingest-0.log").read_text()
    print(copy.said.read_text().splitlines()[-1])
    assert f"the chain is broken at {position}" in log and "sensor-ingest" in copy.said.read_text(), str(refused.value)


def bend(farm, which: str, before: bytes, after: bytes) -> int:
    """Changes bytes of one entry in the journal's file; returns its position."""
    path = farm.home / "sensor-ingest" / "0" / "journal.db"
    with closing(sqlite3.connect(path)) as database, database:
        position, body = database.execute(which).fetchone()
        bent = body.replace(before, after)
        assert bent != body and len(bent) == len(body)
        assert database.execute("UPDATE entry SET bytes = ? WHERE pos = ?", (bent, position)).rowcount == 1
    for file in path.parent.iterdir():
        hand_over(file)
    return position
