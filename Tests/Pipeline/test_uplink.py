"""Bluetooth gateways of other makes post in their own form, without headers of Furrow's.

The bodies are those of Ruuvi's documentation and of Minew's format JSON-RAW, sent by Python's HTTP client.
"""

import base64
import http.client
import json
import re
import subprocess
import time
from datetime import UTC, datetime

import pytest
from client import until
from farm import ADMINISTRATOR, ROOT
from load import MEASURED, prepare
from tags import Tag

#: The body of the README for a program that connects to a SensorTag.
VALUE = re.compile(r'^`(\{"adverts":.*"characteristic".*\})`$', re.MULTILINE)
#: The commands of the README by which an administrator admits a gateway.
RECIPE = re.compile(r"^curl --cookie.*$", re.MULTILINE)
#: The command of the README for a program that has decoded values.
VALUES = re.compile(r"^curl --oauth2-bearer TOKEN.*?/v1/values$", re.MULTILINE | re.DOTALL)


def ruuvi(adverts: list[dict], nonce: int) -> bytes:
    now = int(time.time())
    tags = {one["address"].upper(): {"rssi": one["rssi"], "timestamp": str(now), "data": one["hex"].upper()}
            for one in adverts}
    return json.dumps({"data": {
        "coordinates": "", "timestamp": str(now), "nonce": str(nonce), "gw_mac": "C8:25:2D:8E:9C:2C", "tags": tags,
    }}).encode()


def minew(adverts: list[dict]) -> bytes:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    gateway = {"timestamp": now, "type": "Gateway", "mac": "AC233FC00001", "gatewayFree": 96, "gatewayLoad": 0.32}
    return json.dumps([gateway] + [
        {"timestamp": now, "mac": one["address"].replace(":", "").upper(), "bleName": "", "rssi": one["rssi"],
         "rawData": one["hex"].upper()} for one in adverts]).encode()


def post(farm, path: str, body: bytes, **headers: str) -> tuple[int, dict]:
    """Posts as a gateway does, and again until the outcome is known."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", farm.client().port, timeout=30)
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            status, text = response.status, response.read()
            if status < 500 and status != 202:
                return status, json.loads(text)
        except (OSError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    pytest.fail("no response in 60 s")


def admit(farm, folder) -> str:
    """Returns the token of a gateway that was admitted by the README's commands."""
    commands = RECIPE.findall((ROOT / "README.md").read_text())
    assert len(commands) == 2, commands
    done = None
    for command in commands:
        words = command.replace("farm:8080", f"127.0.0.1:{farm.client().port}").replace(
            "EMAIL", ADMINISTRATOR["email"]).replace("PASSWORD", ADMINISTRATOR["password"])
        done = subprocess.run(["bash", "-c", f"{words} --silent --fail-with-body"], cwd=folder, check=False,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{words}: {done.stdout}"
    return json.loads(done.stdout)["token"]


def values(client) -> dict[str, float]:
    """Returns the temperature of each device that is known."""
    return {
        device["device"]: reading["value"] for device in client.items("/v1/devices")
        for reading in device["readings"] if reading["quantity"] == "temperature"
    }


def test_gateways_of_other_makes_post_their_own_bodies_and_each_report_counts_once(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    token = admit(farm, tmp_path)
    password = base64.b64encode(f"ruuvi:{token}".encode()).decode()
    first, second, third = Tag(1, family=0xD1), Tag(2, family=0xD1), Tag(3, family=0xD1)

    body = ruuvi([first.advert(temperature=21.5), second.advert(temperature=-4.25)], nonce=1)
    status, first_answer = post(farm, "/v1/uplink", body, Authorization=f"Bearer {token}")
    assert (status, len(first_answer["accepted"])) == (200, 2), first_answer
    # A gateway sends a body again if it got no response. sensor-ingest was killed in between.
    farm.kill("sensor-ingest/farm-0")
    status, second_answer = post(farm, "/v1/uplink", body, Authorization=f"Basic {password}")
    assert status == 200 and second_answer["accepted"] == first_answer["accepted"], second_answer

    status, answer = post(farm, f"/v1/uplink/{token}", minew([third.advert(temperature=7.75)]),
                          **{"Content-Type": "text/plain"})
    assert (status, len(answer["accepted"])) == (200, 1), answer
    wanted = {first.device: 21.5, second.device: -4.25, third.device: 7.75}
    until(lambda: wanted.items() <= values(client).items(), 30, "the three temperatures")

    for path, headers in [("/v1/uplink", {}), ("/v1/uplink/wrong", {}), ("/v1/uplink", {"Authorization": "Bearer x"})]:
        status, problem = post(farm, path, body, **headers)
        assert status == 401 and "administrator" in problem["detail"], problem
    status, problem = post(farm, "/v1/uplink", b'{"temperature": 21}', Authorization=f"Bearer {token}")
    assert status == 422 and "Ruuvi Gateway" in problem["detail"], problem

    reports = [one for one in farm.replay("sensor-ingest/farm-0") if one["type"] == MEASURED]
    print(f"uplink: {len(reports)} reports of 3 devices, 2 posted twice")
    assert len(reports) == 3
    assert {one["data"]["source"] for one in reports} == {"gateway/barn"}
    logs = [log.read_text(errors="replace") for log in (farm.home / "logs").glob("*.log")]
    assert len(logs) >= 5 and not [log for log in logs if token in log], "the token of the address stands in a log"
    # The time of the last post survives a restart of the process that counts posts.
    farm.kill("sync-gateway/farm-0")
    until(lambda: farm.client().call("GET", "/healthz").status < 500, 30, "the gateway to return")
    (gateway,) = farm.sign_in().items("/v1/gateways")
    assert "lastSeen" in gateway and "messages" not in gateway, gateway
    farm.audited()


#: The address in the README that a webhook of a Shelly requests.
SHELLY = re.compile(r"`http://farm:8080(/v1/uplink/TOKEN\?id=cold-store&temp=\$\{ev.tC\})`")


def test_a_shelly_reports_by_requesting_the_address_of_the_readme(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    token = admit(farm, tmp_path)
    (address,) = SHELLY.findall((ROOT / "README.md").read_text())

    def request(method: str, path: str) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", farm.client().port, timeout=30)
        connection.request(method, path)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, json.loads(body or b"{}")

    # A device of a later generation puts its values in, and one of the first appends them.
    path = address.replace("TOKEN", token)
    for celsius in ("4.5", "4.5", "5.25"):
        status, answer = request("GET", path.replace("${ev.tC}", celsius))
        assert status == 200 and answer["measurements"] <= 1, answer
    status, answer = request("GET", f"/v1/uplink/{token}?hum=55&temp=-3.5&id=shellyht-6d0a12&unknown=1")
    assert status == 200, answer
    assert request("HEAD", f"/v1/uplink/{token}?id=nobody&temp=1")[0] == 200
    wanted = {"http:cold-store": 5.25, "http:shellyht-6d0a12": -3.5}
    until(lambda: wanted.items() <= values(farm.client()).items(), 30, "the temperatures")

    status, problem = request("GET", "/v1/uplink/wrong?id=x&temp=1")
    assert status == 401 and "administrator" in problem["detail"], problem
    status, problem = request("GET", f"/v1/uplink/{token}?id=x&temp=warm")
    assert status == 400 and problem["detail"].startswith("temp:"), problem
    status, problem = request("GET", f"/v1/uplink/{token}?id=x")
    assert status == 422 and "temp" in problem["detail"], problem
    devices = [one["device"] for one in farm.client().items("/v1/devices") if one["device"].startswith("http:")]
    print(f"shelly: {devices}")
    assert sorted(devices) == sorted(wanted)
    logs = [log.read_text(errors="replace") for log in (farm.home / "logs").glob("*.log")]
    assert len(logs) >= 5 and not [log for log in logs if token in log], "the token of the address stands in a log"
    farm.audited()


def test_a_value_of_a_sensortag_posted_as_the_readme_says_is_a_reading_of_its_device(own_farm):
    farm = own_farm().start()
    prepare(farm)
    client = farm.client()
    hub = farm.client(client.make("POST", "/v1/gateways", {"gateway": "hub"})["token"])
    body = json.loads(VALUE.search((ROOT / "README.md").read_text()).group(1))
    answer = hub.call("POST", "/v1/adverts", body)
    assert answer.status == 200 and answer.json["measurements"] == 1, answer
    body["adverts"][0]["characteristic"] = "f000aa2"
    refused = hub.call("POST", "/v1/adverts", body)
    assert refused.status == 400 and "adverts/0/characteristic" in refused.json["detail"], refused
    until(lambda: round(values(client).get("ble:546c0e000001", 0), 2) == 26.0, 30, "the temperature of the SensorTag")
    farm.audited()


def test_a_program_posts_decoded_values_by_the_readmes_command(own_farm, tmp_path):
    farm = own_farm().start()
    prepare(farm)
    token = admit(farm, tmp_path)
    (command,) = VALUES.findall((ROOT / "README.md").read_text())
    words = command.replace("farm:8080", f"127.0.0.1:{farm.client().port}").replace("TOKEN", token)
    for _ in range(2):
        done = subprocess.run(["bash", "-c", f"{words} --silent --fail-with-body"], cwd=tmp_path, check=False,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout
    (device,) = [one for one in farm.client().items("/v1/devices") if one["device"] == "http:greenhouse-1"]
    assert [(one["quantity"], one["value"]) for one in device["readings"]] == [("co2", 640)]
    assert device["reports"] == 1 and device["source"].startswith("gateway/")
    (gateway,) = farm.client().items("/v1/gateways")
    assert gateway["messages"] == 2 and gateway["clockAhead"] < 0, gateway
