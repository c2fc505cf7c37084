/**
 * A fake of Web Bluetooth with one SensorTag (CC2650), for browsers without a radio. It is as strict as the sensor: it
 * sends zeros until its configuration is written, and nothing before it is subscribed to.
 */
(() => {
    class Characteristic extends EventTarget {
        constructor(read, write) {
            super();
            this.read = read;
            this.write = write;
            this.isNotifying = false;
        }

        async readValue() {
            return new DataView(Uint8Array.from(this.read()).buffer);
        }

        async writeValue(bytes) {
            this.write([...bytes]);
        }

        async startNotifications() {
            this.isNotifying = true;
            return this;
        }
    }

    const device = Object.assign(new EventTarget(), { id: "fake", name: "CC2650 SensorTag" });
    const state = { isAway: false, isOn: false, connections: 0, value: null };
    /** The System ID of 54:6c:0e:b7:1a:84. */
    const systemId = [0x84, 0x1a, 0xb7, 0, 0, 0x0e, 0x6c, 0x54];
    const services = () => {
        state.isOn = false;
        state.value = new Characteristic(() => [0, 0, 0, 0]);
        return {
            "f000aa20-0451-4000-b000-000000000000": {
                "f000aa21-0451-4000-b000-000000000000": state.value,
                "f000aa22-0451-4000-b000-000000000000": new Characteristic(() => [Number(state.isOn)],
                    ([on]) => { state.isOn = on === 1; }),
            },
            [0x180a]: { [0x2a23]: new Characteristic(() => systemId) },
        };
    };
    device.gatt = {
        connected: false,
        async connect() {
            if (state.isAway) throw new DOMException("The device is not in range.", "NetworkError");
            const offered = services();
            this.connected = true;
            state.connections += 1;
            return { getPrimaryService: async (name) => ({
                getCharacteristic: async (one) => offered[name][one],
            }) };
        },
        disconnect() {
            this.connected = false;
        },
    };
    const bluetooth = { requestDevice: async () => device };
    Object.defineProperty(Navigator.prototype, "bluetooth", { get: () => bluetooth, configurable: true });
    globalThis.fakeTag = {
        state,
        /** The sensor measures: celsius and percent, as the HDC1000 converts them. */
        measure(celsius, percent) {
            if (!state.value?.isNotifying || !device.gatt.connected) return false;
            const [raw, humid] = state.isOn
                ? [Math.round((celsius + 40) / 165 * 65_536), Math.round(percent / 100 * 65_536)] : [0, 0];
            const bytes = Uint8Array.of(raw & 255, raw >> 8, humid & 255, humid >> 8);
            Object.defineProperty(state.value, "value", { value: new DataView(bytes.buffer), configurable: true });
            state.value.dispatchEvent(new Event("characteristicvaluechanged"));
            return true;
        },
        leave() {
            state.isAway = true;
            device.gatt.connected = false;
            device.dispatchEvent(new Event("gattserverdisconnected"));
        },
        comeBack() {
            state.isAway = false;
        },
    };
})();
