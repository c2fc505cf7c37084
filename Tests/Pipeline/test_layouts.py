"""A farm declares the payload of its own ZigBee nodes in a file, as README says."""

import re
import struct
import subprocess

from client import until
from coordinator import FakeCoordinator, incoming
from farm import PROGRAMS, ROOT, demoted, hand_over

ENDPOINT, CLUSTER = 20, 1


def example() -> str:
    found = re.search(r"^layout greenhouse-node.*?(?=^```)", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


def payload(counter: int, celsius: float, moisture: int) -> bytes:
    data = struct.pack("<HhB", counter, round(celsius * 100), moisture)
    return data + bytes([sum(data) & 0xFF])


def test_a_node_is_heard_that_the_file_of_the_readme_declares(own_farm):
    coordinator = FakeCoordinator()
    farm = own_farm(environment={"FURROW_SOURCES": coordinator.source})
    try:
        farm.home.mkdir(parents=True, exist_ok=True)
        (farm.home / "layouts.txt").write_text(example())
        hand_over(farm.home)
        farm.start()
        client = farm.claim()
        node = coordinator.node(1)
        assert coordinator.subscribed.wait(20)
        coordinator.announce(node)
        for counter in range(1, 4):
            coordinator.write(incoming(node, CLUSTER, ENDPOINT, payload(counter, -1.5 * counter, 40 + counter)))
        # A sum that is wrong: the bytes are kept, and no value is made of them.
        coordinator.write(incoming(node, CLUSTER, ENDPOINT, payload(9, 50, 1)[:-1] + b"\x00"))
        coordinator.write(incoming(node, CLUSTER, ENDPOINT, payload(4, 6.25, 44)))

        def heard() -> list[dict]:
            return [one for one in client.items("/v1/devices") if one["device"] == node.device and one["reports"] == 5]

        (device,) = until(heard, 30, "the node", pause=0.1)
        values = {one["quantity"]: one["value"] for one in device["readings"]}
        print(f"{device['reports']} reports of {device['format']}: {values}")
        assert device["format"] == "greenhouse-node" and values == {"temperature": 6.25, "soil-moisture": 44}
        temperatures = [value["value"] for event in farm.replay("sensor-ingest/farm-0")
                        for value in event["data"].get("readings", []) if value["quantity"] == "temperature"]
        assert temperatures == [-1.5, -3, -4.5, 6.25], temperatures
    finally:
        coordinator.close()


def test_a_file_with_a_flaw_is_refused_with_its_line(own_farm, tmp_path):
    wrong = example().replace("s16 /100", "i16 /100")
    line = next(number for number, text in enumerate(wrong.splitlines(), 1) if "i16" in text)
    path = tmp_path / "layouts.txt"
    path.write_text(wrong)
    checked = subprocess.run(
        [PROGRAMS / "furrow", "decode", "--layouts", path], input=b"", capture_output=True, timeout=30, check=False)
    assert checked.returncode == 3 and f"line {line}: i16 is no form".encode() in checked.stderr, checked

    farm = own_farm()
    farm.home.mkdir(parents=True, exist_ok=True)
    (farm.home / "layouts.txt").write_text(wrong)
    hand_over(farm.home)
    farm.prepare()
    ended = subprocess.run(
        [*demoted(), PROGRAMS / "furrow", "run", "--home", farm.home, "--port", str(farm.port), "--https-port",
         str(farm.https_port), "--web", farm.web], capture_output=True, timeout=120, cwd="/", check=False)
    said = (ended.stdout + ended.stderr).decode()
    print(said.strip().splitlines()[-1])
    assert ended.returncode != 0 and f"line {line}: i16 is no form" in said, said

    path.write_text(example())
    frame = incoming_frame(payload(1, 21.5, 40))
    line = f'{{"format":"znp","hex":"{frame.hex()}"}}\n'.encode()
    decoded = subprocess.run(
        [PROGRAMS / "furrow", "decode", "--layouts", path], input=line, capture_output=True, timeout=30, check=True)
    assert b'"quantity":"temperature","value":21.5' in decoded.stdout, decoded.stdout


def incoming_frame(data: bytes) -> bytes:
    coordinator = FakeCoordinator()
    try:
        return incoming(coordinator.node(1), CLUSTER, ENDPOINT, data)
    finally:
        coordinator.close()
