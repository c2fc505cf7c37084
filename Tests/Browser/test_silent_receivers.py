"""A gateway through which nothing comes any more is one alarm on every page that lists alarms."""

import datetime
import http.client
import json

import pytest
from conftest import DESKTOP, PHONE
from farm import ADMINISTRATOR, Farm
from radio_farm import until
from staff_driver import StaffPages
from test_accessibility import look
from test_alarms import REQUESTED

#: The farm's clock begins two hours ago and runs so fast until it has caught up: five minutes of silence take 15 s.
SPEED = 20
BEHIND = datetime.timedelta(hours=2)
ADDRESSES = ["546c0e000001", "546c0e000002", "546c0e000003"]
GUS = {"name": "Gus", "email": "gus@farm.test", "password": "warm stores ring at night"}


@pytest.fixture
def farm():
    start = (datetime.datetime.now(datetime.UTC) - BEHIND).strftime("%Y-%m-%dT%H:%M:%SZ")
    server = Farm("--clock", f"{start}*{SPEED}")
    server.start()
    try:
        yield server
    finally:
        server.destroy()


def post(farm: Farm, token: str, packet: int) -> None:
    """Posts one BTHome packet of 25.06 °C from each sensor, as a Minew gateway does."""
    body = [{"type": "Gateway", "mac": "AC233FC00001"}, *(
        {"mac": one.upper(), "rssi": -50, "rawData": f"0916d2fc4000{packet:02x}02ca09"} for one in ADDRESSES)]
    connection = http.client.HTTPConnection("127.0.0.1", farm.port, timeout=30)
    try:
        connection.request("POST", f"/v1/uplink/{token}", json.dumps(body))
        assert connection.getresponse().status == 200
    finally:
        connection.close()


def test_a_silent_gateway_is_one_alarm_on_every_page(farm, new_phone, pictures):
    farm.claim()
    client = farm.client()
    client.make("POST", "/v1/farms", {"farm": "creek", "title": "Horse Creek", "zone": "UTC"})
    for store, title in (("cold", "Cold store"), ("barn", "Barn")):
        client.make("POST", "/v1/stores", {"farm": "creek", "store": store, "title": title, "cold": True})
    person = client.make("POST", "/v1/accounts", GUS | {"role": "grower"})["person"]
    client.make("PUT", "/v1/on-call", {"steps": [{"afterMinutes": 0, "people": [person]}]})
    token = client.make("POST", "/v1/gateways", {"gateway": "barn-left", "title": "In the barn"})["token"]
    for number, (address, store) in enumerate(zip(ADDRESSES, ("cold", "cold", "barn"), strict=True)):
        client.make("PUT", f"/v1/points/p{number}", {
            "title": f"Shelf {number}", "place": f"store/{store}", "device": f"ble:{address}"})
    for packet in range(8):
        post(farm, token, packet)
        until(lambda packet=packet: all(one["reports"] > packet for one in client.items("/v1/devices")), 20,
              "the reports", pause=0.02)

    def receiver_alarms() -> list[dict]:
        return [one for one in client.items("/v1/alarms") if one["quantity"] == "reception"]

    (alarm,) = until(receiver_alarms, 120, "the alarm", pause=0.2)
    assert alarm["point"] == "gateway-barn-left" and alarm["device"] == "gateway/barn-left"
    assert alarm["place"] == "store/cold"

    def notified() -> list[str]:
        return [one["data"]["point"] for one in farm.replay() if one["type"] == REQUESTED]

    until(notified, 20, "the notification in the hub", pause=0.2)
    print(f"one alarm of {len(ADDRESSES)} silent sensors: {alarm}; notified: {notified()}")
    assert notified() == ["gateway-barn-left"]

    for screen, viewport in (("phone", PHONE), ("desk", DESKTOP)):
        pages = StaffPages(new_phone(viewport=viewport, reduced_motion="reduce"), f"http://127.0.0.1:{farm.port}")
        pages.sign_in(ADMINISTRATOR["email"], ADMINISTRATOR["password"])
        for address, name in (("/", "start"), ("/alarms", "alarms"), ("/alarms/gateway-barn-left", "history")):
            pages.go(address)
            text = pages.text("main").replace("\u00a0", " ")
            assert "Gateway barn-left: nothing received for" in text, f"{address}: {text}"
            for scheme in ("light", "dark"):
                look(pages.page, f"receiver-{name}", screen, scheme, pictures)
    # It works again: what comes through ends the alarm.
    post(farm, token, 100)
    until(lambda: all(one.get("cleared") for one in receiver_alarms()), 60, "the end of the alarm", pause=0.2)
    pages.go("/")
    pages.go("/alarms/gateway-barn-left")
    assert "still on" not in pages.text("main")
