"""Debian's simulated BlueZ (python3-dbusmock) on a bus of its own, run by Debian's Python, which has its modules.

It prints the address of the bus, and then does what lines of JSON say: `["name", argument, …]`, each answered by a line.
`bluez.py` talks to it.
"""

import json
import os
import subprocess
import sys

import dbus
import dbusmock

DEVICE, MOCK = "org.bluez.Device1", "org.freedesktop.DBus.Mock"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"


class BlueZ:
    """The adapter hci0 and the devices in its range."""

    def __init__(self):
        dbusmock.DBusTestCase.start_system_bus()
        self.process = None
        self.bus = dbusmock.DBusTestCase.get_dbus(system_bus=True)

    def begin(self, adapter):
        """Starts BlueZ, with an adapter if its name is not empty."""
        self.process, self.root = dbusmock.DBusTestCase.spawn_server_template("bluez5", {}, subprocess.DEVNULL)
        if adapter:
            self.mock("/", "AddAdapter", adapter, "box", interface="org.bluez.Mock")

    def end(self):
        self.process.terminate()
        self.process.wait()

    def mock(self, path, method, *arguments, interface=MOCK):
        return dbus.Interface(self.bus.get_object("org.bluez", path), interface).get_dbus_method(method)(*arguments)

    def signal(self, path, interface, name, form, arguments):
        self.mock(path, "EmitSignal", interface, name, form, dbus.Array(arguments, signature="v"))

    def changed(self, path, interface, properties):
        self.signal(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                    [interface, dbus.Dictionary(properties, signature="sv"), dbus.Array([], signature="s")])

    def add_crowd(self, count):
        """Adds as many devices that have no data for a farm."""
        for number in range(count):
            self.add_device(f"AA:00:00:00:{number >> 8:02X}:{number & 255:02X}", f"Crowd {number}")

    def add_device(self, address, name):
        return str(self.mock("/", "AddDevice", "hci0", address, name, interface="org.bluez.Mock"))

    def advertise(self, path, companies, strength=-61):
        data = {dbus.UInt16(int(company)): dbus.ByteArray(bytes.fromhex(text), variant_level=1)
                for company, text in companies.items()}
        properties = {"RSSI": dbus.Int16(strength)}
        if data:
            properties["ManufacturerData"] = dbus.Dictionary(data, signature="qv")
        self.changed(path, DEVICE, properties)

    def resolve(self, path, uuids):
        """Finds a service with a characteristic that notifies, and one that is written: their three UUIDs."""
        service = f"{path}/service0024"
        objects = {service: (SERVICE, {"UUID": uuids[0], "Device": dbus.ObjectPath(path), "Primary": True}, [])}
        for number, flags in (1, ["read", "notify"]), (2, ["read", "write"]):
            objects[f"{service}/char002{number}"] = (CHARACTERISTIC, {
                "UUID": uuids[number], "Service": dbus.ObjectPath(service),
                "Flags": dbus.Array(flags, signature="s")}, [
                    ("StartNotify", "", "", ""), ("StopNotify", "", "", ""), ("WriteValue", "aya{sv}", "", "")])
        for place, (interface, found, methods) in objects.items():
            properties = dbus.Dictionary(found, signature="sv")
            try:
                self.mock("/", "AddObject", place, interface, properties, dbus.Array(methods, signature="(ssss)"))
            except dbus.exceptions.DBusException as error:
                # The services of a device that was connected before are still known.
                assert "already exists" in str(error), error
                continue
            self.signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}", [
                dbus.ObjectPath(place), dbus.Dictionary({interface: properties}, signature="sa{sv}")])
        self.changed(path, DEVICE, {"ServicesResolved": dbus.Boolean(True)})

    def notify(self, path, text):
        self.changed(f"{path}/service0024/char0021", CHARACTERISTIC, {"Value": dbus.ByteArray(bytes.fromhex(text))})

    def leave(self, path):
        self.mock(path, "Disconnect", interface=DEVICE)

    def calls(self, path, method):
        """The arguments of each call of a method of an object, bytes in hexadecimal."""
        try:
            found = self.mock(path, "GetMethodCalls", method)
        except dbus.exceptions.DBusException:
            return []
        return [[bytes(one).hex() if isinstance(one, dbus.Array) else str(one) for one in arguments]
                for _, arguments in found]


def main():
    bluez = BlueZ()
    print(json.dumps(os.environ["DBUS_SYSTEM_BUS_ADDRESS"]), flush=True)
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        print(json.dumps(getattr(bluez, name)(*arguments)), flush=True)
    bluez.end()
    dbusmock.DBusTestCase.tearDownClass()


if __name__ == "__main__":
    main()
