/** What readers receive of beacons now: a live view, and the forms that use it. */
import { get } from "../common/api.js";
import { h } from "../common/dom.js";
import { number } from "../common/format.js";
import { t } from "../common/language.js";
import { stream } from "../common/stream.js";

const Limits = { oldMilliseconds: 12_000, holdMilliseconds: 20_000 };

/**
 * @typedef {object} Beacon
 * @property {string} beacon its identity, or `ble:` and an address
 * @property {number} metres
 * @property {number} rssi
 * @property {"immediate"|"near"|"far"|"unknown"} proximity
 * @property {number} perSecond how often it was received
 * @property {boolean} isFound whether a list scan counts it
 * @property {number} [volts]
 * @property {number} [celsius]
 *
 * @typedef {{reader: string, at: string, nearest?: string, beacons: Beacon[]}} Reading what one reader receives
 */

/** The readings of all readers, as they change. */
export class BeaconWatch {
    /**
     * @param {(watch: BeaconWatch) => void} onChange
     * @param {() => void} [onVisit] called when a reader has entered a region of beacons, or left it
     */
    constructor(onChange, onVisit = () => {}) {
        this.onChange = onChange;
        /** @type {Map<string, {reading: Reading, since: number}>} */
        this.readers = new Map();
        const close = stream("/v1/live?topics=beacons", {
            open: () => this.read(),
            beacons: (event) => this.take(JSON.parse(event.data)),
            "region-entered": onVisit,
            "region-left": onVisit,
        });
        // A reader that receives nothing any more sends nothing.
        const timer = setInterval(() => this.onChange(this), Limits.oldMilliseconds / 2);
        this.close = () => {
            clearInterval(timer);
            close();
        };
    }

    async read() {
        const { items } = await get("/v1/beacons").catch(() => ({ items: [] }));
        for (const reading of items) this.take(reading);
        this.onChange(this);
    }

    /** @param {Reading} reading */
    take(reading) {
        this.readers.set(reading.reader, { reading, since: Date.now() });
        this.onChange(this);
    }

    /** The current readings, by the names of the readers. @returns {Reading[]} */
    get readings() {
        const isCurrent = ({ reading, since }) =>
            reading.beacons.length > 0 && Date.now() - since < Limits.oldMilliseconds;
        return [...this.readers.values()].filter(isCurrent).map(({ reading }) => reading)
            .sort((one, other) => one.reader.localeCompare(other.reader));
    }
}

/** The name of a reader for people. @param {string} reader */
export function readerTitle(reader) {
    const [kind, ...rest] = reader.split(/[/:]/u);
    const name = rest.join("/");
    return { gateway: name, mqtt: `${name} (MQTT)`, hci: t`Bluetooth of the farm server (${name})`,
        http: t`A program of the farm` }[kind] ?? reader;
}

/** @param {Beacon} beacon */
export function distanceText({ metres, proximity }) {
    const step = { immediate: t`at hand`, near: t`near`, far: t`far`, unknown: t`a guess` }[proximity];
    const digits = metres < 1 ? 1 : 0;
    return t`about ${number(Number(metres.toFixed(digits)))} m, ${step}`;
}

/**
 * Returns a button that puts the tag that is held to a reader into a field.
 * @param {HTMLInputElement} control @param {{announce: (text: string) => void}} context
 * @returns {HTMLElement}
 */
export function nearestButton(control, context) {
    const note = h("p.quiet", { role: "status" });
    let watch = null;
    let timer;
    const end = (text) => {
        watch?.close();
        watch = null;
        clearTimeout(timer);
        note.textContent = text;
        button.textContent = t`Take the tag at a reader`;
    };
    const button = h("button.button.button-quiet", { type: "button", onclick: () => {
        if (watch) return end("");
        button.textContent = t`Stop`;
        note.textContent = t`Hold the tag within a hand's breadth of a reader, for five seconds.`;
        timer = setTimeout(() => end(t`No tag was held to a reader. Hold it nearer, or type what is printed on
            it.`),
            Limits.holdMilliseconds);
        watch = new BeaconWatch(({ readings }) => {
            if (!button.isConnected) return end("");
            const held = readings.find(({ nearest }) => nearest);
            if (!held?.nearest) return undefined;
            control.value = held.nearest;
            end(t`Tag at ${readerTitle(held.reader)}: ${held.nearest}`);
            return context.announce(t`The tag was taken.`);
        });
        return undefined;
    } }, t`Take the tag at a reader`);
    return h("div.block", null, button, note);
}
