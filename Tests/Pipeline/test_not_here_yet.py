"""A command that is sent before the hub has delivered the event that it depends on: repeated under its key, it
succeeds.
"""

import time
import uuid
from collections import Counter

from client import Client

FARMS = 30


def sent_until_done(client: Client, method: str, path: str, body: dict, statuses: Counter) -> None:
    """Repeats a request as documented: one key, again after `Retry-After` while the response is temporary."""
    key = uuid.uuid4().hex
    end = time.monotonic() + 20
    while True:
        answer = client.call(method, path, body, key=key)
        statuses[answer.status] += 1
        if answer.status in (200, 201):
            return
        assert answer.status in (425, 503), f"{method} {path}: {answer}"
        assert int(answer.headers["retry-after"]) >= 1, answer.headers
        assert time.monotonic() < end, f"{method} {path}: {answer}"
        time.sleep(0.05)


def test_a_command_that_depends_on_an_unconsumed_event_succeeds_under_the_same_key(own_farm):
    client = own_farm().start().claim()
    statuses = Counter()
    for number in range(FARMS):
        farm = f"early-{number}"
        client.make("POST", "/v1/farms", {"farm": farm, "title": f"Farm {number}", "zone": "Europe/Vienna"})
        sent_until_done(client, "PUT", f"/v1/directory/{farm}", {"county": "Greene"}, statuses)
    client.make("POST", "/v1/plots", {"farm": "early-0", "plot": "p1", "title": "Plot"})
    for number in range(FARMS):
        lot = f"EARLY-{number}"
        client.make("POST", "/v1/lots", {"lot": lot, "product": "Plums", "plot": "p1", "grams": 100_000})
        client.make("POST", f"/v1/lots/{lot}/packings", {"boxes": 5, "gramsEach": 1000})
        sent_until_done(client, "PUT", f"/v1/stock/{lot}", {"boxes": 5}, statuses)
    print(f"{2 * FARMS} commands: {dict(statuses)}")
    assert sum(statuses[status] for status in (200, 201)) == 2 * FARMS
    assert len(client.items("/v1/stock")) == FARMS

    # An unrecorded lot is not found once the market is up to date, and that response is not stored either.
    key = uuid.uuid4().hex
    stock = {"boxes": 5}
    end = time.monotonic() + 15
    while (answer := client.call("PUT", "/v1/stock/NEVER", stock, key=key)).status == 425:
        assert time.monotonic() < end, answer
        time.sleep(0.2)
    assert answer.status == 404 and answer.json["title"] == "unknown-lot", answer
    client.make("POST", "/v1/lots", {"lot": "NEVER", "product": "Plums", "plot": "p1", "grams": 100_000})
    client.make("POST", "/v1/lots/NEVER/packings", {"boxes": 5, "gramsEach": 1000})
    end = time.monotonic() + 15
    while (answer := client.call("PUT", "/v1/stock/NEVER", stock, key=key)).status in (404, 425):
        assert time.monotonic() < end, answer
        time.sleep(0.05)
    assert answer.status == 200, answer
