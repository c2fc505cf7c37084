"""Sensors behind a real MQTT broker: nothing is lost or recorded twice when processes die, and faults are visible."""

import json
import shutil
import subprocess
import tempfile
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from broker import PASSWORD, Broker, Publisher
from client import until
from load import MEASURED
from tags import Tag
from test_replicas import slots

ORIGIN = "sensor-ingest/farm-0"
DEVICES = 8
#: The messages of each device.
TURNS = 300
#: The messages that wait in the broker while ingest is away.
BACKLOG = 2500
BASE = "zigbee2mqtt"


@pytest.fixture
def broker():
    one = Broker()
    yield one
    one.close()


def address(number: int) -> str:
    return f"00124b00{number:08x}"


def devices() -> tuple[str, bytes]:
    exposes = [{"property": "temperature", "unit": "°C"}, {"property": "humidity", "unit": "%"}]
    return f"{BASE}/bridge/devices", json.dumps([
        {"ieee_address": f"0x{address(number)}", "type": "EndDevice", "friendly_name": f"sensor {number}",
         "definition": {"exposes": exposes}} for number in range(DEVICES)]).encode()


def state(number: int, turn: int) -> tuple[str, bytes]:
    """Returns a state with a value that only this turn has. Half of the devices have no `last_seen`."""
    value = {"temperature": round(turn / 100, 2), "humidity": 50, "linkquality": 100}
    if number % 2:
        value["last_seen"] = datetime.now(UTC).isoformat()
    return f"{BASE}/sensor {number}", json.dumps(value).encode()


def reporting(farm) -> dict:
    answer = farm.client().call("GET", "/v1/reporting")
    assert answer.status == 200, answer
    return answer.json


def reports(farm) -> dict[str, int]:
    answer = farm.client().call("GET", "/v1/devices")
    assert answer.status == 200, answer
    return {item["device"]: item["reports"] for item in answer.json["items"]}


def test_no_message_is_lost_or_recorded_twice_when_ingest_is_killed_and_the_broker_restarts(own_farm, broker):
    farm = own_farm(environment=broker.settings()).start()
    farm.claim()
    publisher = Publisher(broker)
    publisher.publish([devices()], retained=True)
    until(lambda: reporting(farm)["brokers"][0].get("connected"), 20, "ingest to connect")
    published = threading.Event()

    def publish() -> None:
        for turn in range(TURNS):
            publisher.publish([state(number, turn) for number in range(DEVICES)])
        published.set()

    thread = threading.Thread(target=publish, daemon=True)
    thread.start()
    wanted = {f"zb:{address(number)}" for number in range(DEVICES)}

    def recorded() -> int:
        return sum(count for device, count in reports(farm).items() if device in wanted)

    kills = restarts = 0
    while not published.is_set():
        before = recorded()
        farm.kill(ORIGIN)
        kills += 1
        until(lambda: published.is_set() or recorded() >= before + 100, 60, "100 more reports")
        if restarts < 3:
            broker.restart()
            restarts += 1
    thread.join(60)
    farm.kill(ORIGIN)
    until(lambda: recorded() >= DEVICES * TURNS, 90, f"{DEVICES * TURNS} reports; there are {reports(farm)}")
    told = Counter(
        (event["data"]["device"], reading["value"]) for event in farm.replay() if event["type"] == MEASURED
        for reading in event["data"]["readings"] if reading["quantity"] == "temperature")
    expected = {(device, round(turn / 100, 2)) for device in wanted for turn in range(TURNS)}
    assert set(told) == expected, f"lost: {len(expected - set(told))}, unknown: {len(set(told) - expected)}"
    assert set(told.values()) == {1}, [one for one, count in told.items() if count > 1][:5]
    assert set(reports(farm).values()) == {TURNS}
    assert kills >= 2 and restarts >= 1 and publisher.reconnected >= 1
    farm.audited()
    print(f"mqtt: {DEVICES * TURNS} messages at QoS 1, {kills + 1} kills of ingest, {restarts} restarts of the broker, "
          f"{publisher.reconnected} windows sent again: 0 lost, 0 doubled")


def test_messages_wait_in_the_broker_while_ingest_is_away(own_farm, broker):
    farm = own_farm(environment=broker.settings()).start()
    farm.claim()
    publisher = Publisher(broker)
    publisher.publish([devices()], retained=True)
    until(lambda: reporting(farm)["brokers"][0].get("connected"), 20, "ingest to connect")
    farm.stop()
    # More than may be unacknowledged: the list of devices has to get past them.
    publisher.publish([state(1, turn) for turn in range(BACKLOG)])
    broker.restart()
    farm.start()
    until(lambda: reports(farm).get(f"zb:{address(1)}") == BACKLOG, 60, f"the {BACKLOG} messages of the time between")
    assert reporting(farm)["brokers"][0]["refused"] == 0


def test_unusable_messages_are_counted_and_do_not_block_the_stream(own_farm, broker):
    farm = own_farm(environment=broker.settings()).start()
    farm.claim()
    publisher = Publisher(broker)
    publisher.publish([devices()], retained=True)
    until(lambda: reporting(farm)["brokers"][0].get("connected"), 20, "ingest to connect")
    publisher.publish([(f"{BASE}/sensor 1", b"not JSON"), (f"{BASE}/sensor 1", b" " * (5 << 20)), state(1, 7)])
    until(lambda: reports(farm).get(f"zb:{address(1)}") == 1, 30, "the message behind them")
    status = reporting(farm)["brokers"][0]
    assert status["refused"] == 2 and status["messages"] >= 3 and status["lastMessage"], status
    until(lambda: any(event["type"] == "farm.furrow.sensors.quarantined.v1" for event in farm.replay()), 20,
          "the unreadable message among the events")


def test_a_wrong_password_is_explained_and_appears_nowhere(own_farm, broker):
    wrong = "not the secret of the barn"
    settings = {name: value for name, value in broker.settings().items() if not name.endswith("_FILE")}
    farm = own_farm(environment=settings | {"FURROW_MQTT_PASSWORD": wrong}).start()
    farm.claim()
    until(lambda: "refuses the password of furrow" in json.dumps(reporting(farm)["radios"]), 20, "the reason")
    until(lambda: "refuses the password of furrow" in farm.furrow("doctor", check=False).stdout.decode(), 20, "doctor")
    assert farm.ready(ORIGIN)
    shown = farm.logs() + json.dumps(reporting(farm)) + farm.furrow("status", check=False).stdout.decode()
    shown += farm.furrow("support-bundle", check=False).stdout.decode()
    assert wrong not in shown and PASSWORD not in shown


def test_a_broker_with_tls_is_connected_only_if_its_authority_is_trusted(own_farm):
    folder = Path(tempfile.mkdtemp(prefix="furrow-mqtt-tls-"))
    folder.chmod(0o755)
    certificate, key = folder / "broker.pem", folder / "broker.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    certificate.chmod(0o644)
    broker = Broker((certificate, key))
    try:
        farm = own_farm(environment=broker.settings()).start()
        farm.claim()
        until(lambda: "cannot connect" in farm.furrow("doctor", check=False).stdout.decode(), 20, "doctor to say why")
        assert "connected" not in reporting(farm)["brokers"][0]
        until(lambda: "cannot connect" in json.dumps(reporting(farm)["radios"]), 20, "the pages to say why")
        farm.stop()
        farm.environment["FURROW_MQTT_AUTHORITY"] = str(certificate)
        farm.start()
        until(lambda: reporting(farm)["brokers"][0].get("connected"), 20, "ingest to connect")
    finally:
        broker.close()
        shutil.rmtree(folder, ignore_errors=True)


def test_ingest_processes_share_the_raw_advertisements_of_gateways(own_farm, broker):
    farm = own_farm(ingest=2, environment=broker.settings(FURROW_MQTT_SHARE="barn")).start()
    farm.claim()
    until(lambda: len(slots(farm)) == 2 and all(map(farm.ready, slots(farm))), 20, "two slots ready")
    until(lambda: reporting(farm)["brokers"][0].get("connected"), 20, "ingest to connect")
    publisher, tag, sent = Publisher(broker), Tag(1, family=0xE3), 0

    def received() -> list[dict]:
        return [event for event in farm.replay()
                if event["type"] == MEASURED and event["data"]["device"] == tag.device]

    def publish() -> bool:
        nonlocal sent
        adverts = [tag.advert(temperature=10 + (sent + number) / 100) for number in range(20)]
        publisher.publish([
            (f"ruuvi/C8:25:2D:8E:9C:2C/{advert['address'].upper()}",
             json.dumps({"rssi": advert["rssi"], "ts": str(int(datetime.now(UTC).timestamp())),
                         "data": advert["hex"]}).encode()) for advert in adverts])
        sent += len(adverts)
        until(lambda: len(received()) >= sent, 20, f"{sent} reports")
        return len({event["source"] for event in received()}) == 2

    until(publish, 60, "both processes to receive some")
    assert sorted(event["data"]["counter"] for event in received()) == list(range(1, sent + 1))
    print(f"mqtt: {sent} advertisements shared by two processes, each recorded once")
