"""A large inventory, counted by many people at once: what one finds is on every screen at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from client import Client, LiveFeed
from conftest import PHONE
from nightly import NIGHTLY
from radio_farm import ADMINISTRATOR, RadioFarm, until
from staff_driver import StaffPages

ITEMS, PEOPLE, COUNTS = (10_000, 20, 60) if NIGHTLY else (1_500, 5, 15)


@pytest.fixture
def inventory():
    farm = RadioFarm({})
    try:
        farm.open_cold_store()
        farm.client.make("PUT", "/v1/inventories/tools", {"title": "Tools"})

        def add(numbers: range) -> None:
            client = farm.server.client()
            for number in numbers:
                client.make("PUT", f"/v1/items/i{number:05}", {
                    "inventory": "tools", "title": f"Tool {number}", "code": f"T-{number}"})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(add, [range(start, ITEMS, 8) for start in range(8)]))
        farm.client.make("POST", "/v1/inventories/tools/stocktakes", {"stocktake": "all", "title": "All"})
        yield farm
    finally:
        farm.destroy()


def test_what_one_of_many_people_finds_is_on_every_screen_at_once(inventory, new_phone):
    farm = inventory
    people: list[Client] = []
    for number in range(PEOPLE):
        who = {"name": f"P{number}", "email": f"p{number}@farm.test", "password": f"the shed has {number} corners"}
        farm.client.make("POST", "/v1/accounts", who | {"role": "grower"})
        people.append(farm.server.sign_in(who))
    feeds = [LiveFeed(person, "stocktakes") for person in people]
    staff = StaffPages(new_phone(viewport=PHONE), farm.url)
    staff.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
    began = time.monotonic()
    staff.go("/stocktakes/all")
    staff.page.wait_for_selector(f"#tally :text('0 of {ITEMS}')")
    opened = time.monotonic() - began
    ended = threading.Event()

    def look_again(person: Client) -> None:
        """Reads the whole report now and then, as a page does that has lost its stream."""
        while not ended.wait(10):
            person.items("/v1/stocktakes/all/lines")

    readers = [threading.Thread(target=look_again, args=(person,)) for person in people]
    for reader in readers:
        reader.start()
    streamed, shown = [], []
    try:
        for number in range(COUNTS):
            thing = f"item/i{number:05}"
            began = time.monotonic()
            people[number % PEOPLE].make("POST", "/v1/stocktakes/all/sightings", {"sightings": [
                {"thing": thing, "at": datetime.now(UTC).isoformat(), "how": "picked"}]})
            until(lambda thing=thing: all(thing in str(feed.messages) for feed in feeds), 20, "every stream", pause=0.005)
            streamed.append(time.monotonic() - began)
            staff.page.wait_for_selector(f"#tally :text('{number + 1} of {ITEMS}')")
            shown.append(time.monotonic() - began)
    finally:
        ended.set()
        for reader in readers:
            reader.join(60)
    print(f"{ITEMS} items, {PEOPLE} people: opened after {opened:.1f} s; a find is on every stream after "
          f"{sorted(streamed)[COUNTS // 2]:.2f} s, at most {max(streamed):.2f} s, and on the page after "
          f"{sorted(shown)[COUNTS // 2]:.2f} s, at most {max(shown):.2f} s")
    assert len(shown) == COUNTS
    # Long lists are shown in part, and more of them on request.
    assert staff.page.locator("#missing li").count() == 200
    staff.page.get_by_role("button", name="More of: Not found yet").click()
    assert staff.page.locator("#missing li").count() == 400
    assert staff.problems == []
