"""A Bluetooth controller on a Unix socket, and a SensorTag in its range: bumble's, on a thread with a loop of its own.

The SensorTag is what TI's user guide of the CC2650 describes: it measures once 01 was written to AA22, and then
notifies who has asked for it of the raw temperature and humidity in AA21.
"""

import asyncio
import struct
import threading
from collections.abc import Coroutine
from pathlib import Path

from bumble import ll
from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address, HCI_ErrorCode, OwnAddressType
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

HUMIDITY, DATA, SETTING = (UUID(f"F000AA2{number}-0451-4000-B000-000000000000") for number in (0, 1, 2))
ADDRESS = "54:6C:0E:00:00:01"
NAME = b"CC2650 SensorTag"
SECONDS = 20


def celsius(raw: int) -> float:
    """The temperature of a raw value of the HDC1000 (TI SNAS643, 8.6.1)."""
    return raw / 65536 * 165 - 40


class HubController(Controller):
    """A controller that ends its connections and its scan when it is reset, as the specification demands."""

    def on_hci_reset_command(self, command):
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(
                ll.TerminateInd(HCI_ErrorCode.REMOTE_DEVICE_TERMINATED_CONNECTION_DUE_TO_POWER_OFF_ERROR))
        self.le_connections.clear()
        self.le_scan_enable = False
        self.pending_le_connection = None
        return super().on_hci_reset_command(command)


class SensorTag:
    """It measures every `pause` seconds while it is switched on and connected; each value is a new one."""

    def __init__(self, path: Path, pause: float = 0.05):
        self.pause = pause
        #: The raw temperatures that were notified, in order.
        self.notified: list[int] = []
        self.settings: list[bytes] = []
        self.is_on = False
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.wait(self.begin(path))

    def wait(self, work: Coroutine):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(SECONDS)

    async def begin(self, path: Path) -> None:
        link = LocalLink()
        self.transport = await open_transport(f"unix-server:{path}")
        self.controller = HubController(
            "hub", self.transport.source, self.transport.sink, link,
            public_address=Address("54:6C:0E:FF:FF:FF", Address.PUBLIC_DEVICE_ADDRESS))
        own = Controller("tag", link=link, public_address=Address(ADDRESS, Address.PUBLIC_DEVICE_ADDRESS))
        self.device = Device("tag", host=Host(own, AsyncPipeSink(own)))
        self.data = Characteristic(DATA, Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
                                   Characteristic.READABLE, bytes(4))
        setting = Characteristic(SETTING, Characteristic.Properties.READ | Characteristic.Properties.WRITE,
                                 Characteristic.READABLE | Characteristic.WRITEABLE,
                                 CharacteristicValue(read=lambda _: bytes([self.is_on]), write=self.set))
        self.device.add_service(Service(HUMIDITY, [self.data, setting]))
        await self.device.power_on()
        # bumble's link knows senders by their random address alone.
        for controller in (self.controller, own):
            controller.random_address = controller.public_address
        await self.advertise()
        self.measuring = asyncio.create_task(self.measure())

    def set(self, _, value: bytes) -> None:
        self.settings.append(bytes(value))
        self.is_on = value == b"\x01"

    async def advertise(self) -> None:
        data = AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, NAME)])
        await self.device.start_advertising(
            advertising_data=bytes(data), auto_restart=True, own_address_type=OwnAddressType.PUBLIC)

    async def measure(self) -> None:
        raw = 0x6000
        while True:
            await asyncio.sleep(self.pause)
            if not self.is_on or not any(self.device.gatt_server.subscribers.values()):
                continue
            # More than the hundredth of a degree to which values are rounded.
            raw += 8
            self.notified.append(raw)
            await self.device.notify_subscribers(self.data, struct.pack("<HH", raw, 0x8000))

    @property
    def is_connected(self) -> bool:
        return bool(self.device.connections)

    def leave(self) -> None:
        """Goes out of range: it disconnects, and is silent."""
        async def leave() -> None:
            await self.device.stop_advertising()
            for connection in list(self.device.connections.values()):
                await connection.disconnect()
            await self.device.stop_advertising()
            self.is_on = False
        self.wait(leave())

    def come_back(self) -> None:
        self.wait(self.advertise())

    def destroy(self) -> None:
        self.measuring.cancel()
        self.loop.call_soon_threadsafe(self.loop.stop)
