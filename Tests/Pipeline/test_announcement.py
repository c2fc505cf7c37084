"""Points and alarms of a farm are announced to Home Assistant over a real MQTT broker."""

import json
import subprocess
import threading

import pytest
from broker import PASSWORD, USER, Broker, Publisher
from client import until
from tags import Tag

NODE = "furrow-farm"


class Reader:
    """Home Assistant's part: everything that the broker delivers, the newest message of each topic."""

    def __init__(self, broker: Broker):
        self.retained: dict[str, str] = {}
        self.newest: dict[str, str] = {}
        self.count = 0
        # %r is 1 for a stored message.
        self.process = subprocess.Popen(
            ["mosquitto_sub", "-p", str(broker.port), "-u", USER, "-P", PASSWORD, "-t", "homeassistant/#", "-t",
             f"{NODE}/#", "-F", "%r %t %p"], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self) -> None:
        for line in self.process.stdout:
            stored, topic, payload = line.rstrip("\n").split(" ", 2)
            self.newest[topic] = payload
            self.count += 1
            if stored == "1":
                self.retained[topic] = payload

    def json(self, topic: str) -> dict:
        return json.loads(self.newest.get(topic) or "{}")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def broker():
    one = Broker()
    yield one
    one.close()


@pytest.fixture
def reader(broker):
    one = Reader(broker)
    yield one
    one.close()


def sensor(point: str, name: str, component: str = "sensor") -> str:
    return f"homeassistant/{component}/{NODE}/{point}_{name}/config"


def report(client, tag: Tag, celsius: float) -> None:
    client.make("POST", "/v1/adverts", {"adverts": [tag.advert(celsius)]})


def test_home_assistant_receives_points_values_and_alarms(own_farm, broker, reader):
    farm = own_farm(environment=broker.settings(FURROW_MQTT_ANNOUNCE="homeassistant")).start()
    client = farm.claim()
    client.make("POST", "/v1/farms", {"farm": "loma", "title": "Loma", "zone": "Europe/Madrid"})
    client.make("POST", "/v1/stores", {"farm": "loma", "store": "cold", "title": "Cold store"})
    tag = Tag(1)
    report(client, tag, 4.5)
    client.make("PUT", "/v1/points/cold_1", {"title": "Cold store, door", "place": "store/cold", "device": tag.device})
    client.make("PUT", "/v1/rules/too-warm", {"place": "store/cold", "quantity": "temperature", "above": 8})
    until(lambda: reader.newest.get(f"{NODE}/cold_1/temperature") == "4.5", 20, "the first value")
    told = reader.json(sensor("cold_1", "temperature"))
    assert told["device_class"] == "temperature" and told["unit_of_measurement"] == "°C", told
    assert told["state_topic"] == f"{NODE}/cold_1/temperature" and told["expire_after"] % 60 == 0, told
    assert told["device"]["name"] == "Cold store, door" and told["origin"] == {"name": "Furrow"}, told
    assert reader.json(f"{NODE}/cold_1/alarm") == {"state": "OFF", "alarms": []}
    assert reader.newest[f"{NODE}/status"] == "online"

    report(client, tag, 9.25)
    until(lambda: reader.json(f"{NODE}/cold_1/alarm").get("state") == "ON", 20, "the alarm")
    alarm = reader.json(f"{NODE}/cold_1/alarm")["alarms"][0]
    assert (alarm["value"], alarm["limit"], alarm["acknowledged"]) == (9.25, 8, False), alarm
    until(lambda: reader.newest[f"{NODE}/cold_1/temperature"] == "9.25", 20, "the value of the alarm")

    # Home Assistant starts again: it receives the values without waiting for the next report.
    reader.newest.pop(f"{NODE}/cold_1/temperature")
    publisher = Publisher(broker)
    publisher.publish([("homeassistant/status", b"online")])
    until(lambda: reader.newest.get(f"{NODE}/cold_1/temperature") == "9.25", 20, "the values again")

    # The farm server dies: the broker says so. It returns, and announces everything again.
    farm.kill("sensor-ingest/farm-0")
    until(lambda: reader.newest[f"{NODE}/status"] == "offline", 20, "the broker to say that the farm server is gone")
    until(lambda: reader.newest[f"{NODE}/status"] == "online", 40, "the farm server to return")

    # A retired point is withdrawn, also by a process that has not announced it.
    farm.sign_in().make("POST", "/v1/points/cold_1/retirement", {})
    until(lambda: reader.newest[sensor("cold_1", "temperature")] == "", 30, "the withdrawal")
    assert reader.newest[sensor("cold_1", "alarm", "binary_sensor")] == ""
    # Its own announcements are no sensors of the farm.
    devices = [item["device"] for item in farm.client().call("GET", "/v1/devices").json["items"]]
    print(f"Home Assistant: {reader.count} messages, {len(reader.newest)} topics, devices of the farm: {devices}")
    assert devices == [tag.device] and reader.count >= 10
    farm.audited()
