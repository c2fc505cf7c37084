/**
 * A TI SensorTag that this browser connects to (Web Bluetooth): it is switched on, its notifications are sent to the
 * farm, and what cannot be delivered waits in the browser.
 */
import { NoResponse, Problem, command } from "../common/api.js";

/** A SensorTag sends a value every second; one of thirty is recorded. */
const Limits = {
    valueMilliseconds: 30_000, batchMilliseconds: 10_000, batchMax: 60, waitingMax: 2000, shortestPause: 2000,
    longestPause: 60_000,
};

/** The services and characteristics of the CC2650 SensorTag (TI SWRU410), and of any device that names itself. */
export const Names = {
    humidity: "f000aa20-0451-4000-b000-000000000000",
    humidityValue: "f000aa21-0451-4000-b000-000000000000",
    humidityConfiguration: "f000aa22-0451-4000-b000-000000000000",
    information: 0x180a,
    systemId: 0x2a23,
};
const waitingName = "sensortag-waiting";

/** Whether this browser can connect to Bluetooth sensors. */
export const canConnect = () => Boolean(bluetooth()) && globalThis.isSecureContext;

/** Web Bluetooth, which few browsers have. @returns {any} */
const bluetooth = () => /** @type {any} */ (navigator).bluetooth;

/**
 * Values that wait for delivery: they are stored until the farm has answered, and sent once, under the same key.
 * @typedef {{key: string, adverts: object[], isSent?: boolean}} Batch
 */
export class Delivery {
    /** @param {() => void} changed */
    constructor(changed) {
        this.changed = changed;
        /** @type {Batch[]} */
        this.batches = JSON.parse(localStorage.getItem(waitingName) ?? "[]");
        this.delivered = 0;
        this.lost = 0;
    }

    get waiting() {
        return this.batches.reduce((sum, { adverts }) => sum + adverts.length, 0);
    }

    /** Adds a value; the oldest are given up, and counted, if too many wait. @param {object} advert */
    add(advert) {
        const last = this.batches.at(-1);
        if (last && !last.isSent && last.adverts.length < Limits.batchMax) last.adverts.push(advert);
        else this.batches.push({ key: `sensortag-${crypto.randomUUID()}`, adverts: [advert] });
        while (this.waiting > Limits.waitingMax) this.lost += this.batches.shift().adverts.length;
        this.save();
    }

    /** Sends what waits, the oldest first. */
    async send() {
        if (this.isSending) return;
        this.isSending = true;
        try {
            while (this.batches.length > 0) {
                const [batch] = this.batches;
                // A batch that was sent must not change: the farm knows it by its key.
                batch.isSent = true;
                this.save();
                await command("POST", "/v1/adverts", { adverts: batch.adverts, source: "browser" }, batch.key);
                this.batches.shift();
                this.delivered += batch.adverts.length;
                this.save();
            }
        } catch (error) {
            if (error instanceof Problem && [400, 413, 422].includes(error.status)) {
                this.lost += this.batches.shift().adverts.length;
            } else if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
        } finally {
            this.isSending = false;
            this.save();
        }
    }

    save() {
        localStorage.setItem(waitingName, JSON.stringify(this.batches));
        this.changed();
    }
}

/** The connection to one SensorTag. It is made again when the sensor returns, until it is ended. */
export class SensorTag {
    /**
     * @param {any} device of Web Bluetooth @param {Delivery} delivery
     * @param {(state: "connecting"|"connected"|"away"|"ended", problem?: string) => void} changed
     */
    constructor(device, delivery, changed) {
        this.device = device;
        this.delivery = delivery;
        this.changed = changed;
        this.pause = Limits.shortestPause;
        /** @type {string|undefined} */
        this.address = undefined;
        this.taken = -Infinity;
        device.addEventListener("gattserverdisconnected", () => this.again());
        this.timer = setInterval(() => delivery.send(), Limits.batchMilliseconds);
    }

    /** Lets the person choose a sensor nearby. @returns {Promise<any>} the device */
    static choose() {
        return bluetooth().requestDevice({
            filters: [{ namePrefix: "SensorTag" }, { namePrefix: "CC2650" }, { namePrefix: "TI BLE Sensor Tag" }],
            optionalServices: [Names.humidity, Names.information],
        });
    }

    /** Connects, switches the sensor on and subscribes to its values. */
    async connect() {
        this.changed("connecting");
        try {
            const server = await this.device.gatt.connect();
            this.address ??= await addressOf(server, this.device.id);
            const service = await server.getPrimaryService(Names.humidity);
            const value = await service.getCharacteristic(Names.humidityValue);
            value.addEventListener("characteristicvaluechanged", ({ target }) => this.take(target.value));
            await value.startNotifications();
            await (await service.getCharacteristic(Names.humidityConfiguration)).writeValue(Uint8Array.of(1));
            this.pause = Limits.shortestPause;
            this.changed("connected");
        } catch (error) {
            this.again(error.message);
        }
    }

    /** @param {DataView} value */
    take(value) {
        const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        // Before its first conversion the sensor sends zeros.
        if (bytes.every((byte) => byte === 0) || Date.now() - this.taken < Limits.valueMilliseconds) return;
        this.taken = Date.now();
        this.delivery.add({
            address: this.address, hex: hex(bytes), characteristic: Names.humidityValue, sensor: chip(this.device.name),
            at: new Date().toISOString(),
        });
        if (this.delivery.delivered + this.delivery.waiting === 1) this.delivery.send();
    }

    again(problem) {
        if (this.isEnded) return;
        this.changed("away", problem);
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.connect(), this.pause);
        this.pause = Math.min(this.pause * 2, Limits.longestPause);
    }

    end() {
        this.isEnded = true;
        clearInterval(this.timer);
        clearTimeout(this.retry);
        this.device.gatt.disconnect();
        this.delivery.send();
        this.changed("ended");
    }
}

/** CC2650 has an HDC1000, the older CC2541 an SHT21. @param {string} name */
function chip(name = "") {
    return /2\.0|CC2650/u.test(name) ? "hdc1000" : "sht21";
}

/**
 * Returns the sensor's address, by its System ID, which contains it; browsers hide it. A sensor without one gets
 * an address of this browser's own.
 * @returns {Promise<string>}
 */
async function addressOf(server, id) {
    try {
        const service = await server.getPrimaryService(Names.information);
        const { buffer, byteOffset } = await (await service.getCharacteristic(Names.systemId)).readValue();
        const system = new Uint8Array(buffer, byteOffset, 8);
        return hex([system[7], system[6], system[5], system[2], system[1], system[0]]);
    } catch {
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id)));
        return hex([0x02, ...digest.slice(0, 5)]);
    }
}

function hex(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
