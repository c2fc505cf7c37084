"""A coordinator that never starts: the service is not ready, and every view for operators shows why."""

import json

import pytest
from client import Client, until
from coordinator import IEEE, FakeCoordinator, frame


class Mute(FakeCoordinator):
    """A coordinator whose line exists but never responds."""

    def answer(self, code: int, data: bytes) -> None:
        self.heard.append(code)


class Refusing(FakeCoordinator):
    """Firmware whose memory contains a network, and which does not know the commands that start it."""

    def answer(self, code: int, data: bytes) -> None:
        match code:
            case 0x2700:  # UTIL_GET_DEVICE_INFO: the network is not up
                self.heard.append(code)
                self.write(frame(0x6700, b"\x00" + IEEE.to_bytes(8, "little") + b"\xfe\xff\x07\x00\x00"))
            case 0x2108 if data[0] == 0x21:  # SYS_OSAL_NV_READ: the record of a network on channel 15
                self.write(frame(0x6108, bytes([0, 110]) + bytes(22) + b"\x0f" + bytes(38) + b"\x01" + bytes(48)))
            case 0x2108:  # It is part of that network.
                self.write(frame(0x6108, bytes([0, 1, 1])))
            case 0x2540 | 0x2F05:  # RPC error, no such command
                self.heard.append(code)
                self.write(frame(0x6000, bytes([2, code >> 8, code & 0xFF])))
            case _:
                super().answer(code, data)


@pytest.mark.parametrize(("kind", "why"), [
    (Mute, "does not answer"), (Refusing, "does not know the command that starts its network")])
def test_a_coordinator_that_never_starts_is_not_ready_anywhere(own_farm, kind, why):
    coordinator = kind()
    try:
        farm = own_farm(environment={"FURROW_SOURCES": coordinator.source}).start()
        ops = Client(int(farm.services["sensor-ingest/farm-0"]["ops"].rsplit(":", 1)[1]))
        until(lambda: not farm.ready("sensor-ingest/farm-0"), 60, "that the service is not ready")
        check = ops.call("GET", "/readyz", timeout=5).json["checks"]["radios"]
        assert check["status"] == "down" and why in check["detail"], check
        metrics = ops.call("GET", "/metrics", timeout=5).body.decode().splitlines()
        working = [line for line in metrics if line.startswith("furrow_source_working{")]
        assert [line.split()[-1] for line in working] == ["0"], working
        assert [line.split()[-1] for line in metrics if line.startswith("furrow_ready{")] == ["0"]
        found = json.loads(farm.furrow("doctor", "--json", check=False).stdout)["checks"]
        radio = [one for one in found if one["check"] == "radio"]
        assert len(radio) == 1 and radio[0]["state"] == "act" and why in json.dumps(radio[0]), radio
        reporting = farm.claim().get("/v1/reporting")
        assert [one["source"] for one in reporting["radios"]] == [coordinator.source], reporting
        assert why in reporting["radios"][0]["trouble"] and reporting["sensors"] == 0
        print(f"silent radio: {check['detail']}")
        assert 0x2101 in coordinator.heard
    finally:
        coordinator.close()
