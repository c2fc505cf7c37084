/** A list scan in a stocktake: what a reader has within a metre is counted by itself. */
import { fill, h } from "../common/dom.js";
import { counted } from "../common/format.js";
import { newKey } from "../common/idempotency.js";
import { BeaconWatch, readerTitle } from "./beacons.js";

export class BeaconScan {
    /**
     * @param {object} given
     * @param {() => Map<string, boolean>} given.beacons the beacons of the inventory's items, and whether each is found
     * @param {(thing: string, key: string) => Promise<any>} given.count
     */
    constructor({ beacons, count }) {
        this.beacons = beacons;
        this.count = count;
        /** The beacons that this scan has counted. @type {Set<string>} */
        this.counted = new Set();
        /** The reader; empty for all. */
        this.reader = "";
        this.watch = null;
        this.button = h("button.button", { type: "button", onclick: () => this.toggle() }, "Start");
        this.choice = h("select", { id: "scan-reader", onchange: (event) => {
            this.reader = event.target.value;
        } }, h("option", { value: "" }, "All readers"));
        this.state = h("p", { role: "status" });
        this.element = h("div.form", { id: "beacon-scan" }, h("h2.form-title", null, "Count with a reader"),
            h("p.quiet", null, "Items with a beacon are counted when a reader has them within a metre for four "
                + "seconds: walk along the shelves with a phone or gateway that posts here."),
            h("div.field", null, h("label", { for: "scan-reader" }, "Reader"), this.choice),
            this.state, h("div.form-end", null, this.button));
    }

    toggle() {
        if (this.watch) return this.close();
        this.button.textContent = "Stop";
        this.state.textContent = "Waiting for a reader…";
        this.watch = new BeaconWatch((watch) => this.take(watch.readings));
        return undefined;
    }

    close() {
        this.watch?.close();
        this.watch = null;
        this.button.textContent = "Start";
        if (this.counted.size > 0) this.state.textContent = `${counted(this.counted.size, "item")} counted.`;
    }

    /** @param {import("./beacons.js").Reading[]} readings */
    take(readings) {
        this.offer(readings);
        const known = this.beacons();
        const mine = readings.filter(({ reader }) => this.reader === "" || reader === this.reader);
        const near = mine.flatMap(({ beacons }) => beacons).filter(({ beacon }) => known.has(beacon));
        for (const { beacon, isFound } of near) {
            if (!isFound || known.get(beacon) || this.counted.has(beacon)) continue;
            this.counted.add(beacon);
            this.count(`beacon/${beacon}`, newKey());
        }
        const text = mine.length === 0
            ? "No reader receives anything. Is it on, and does it post to this farm?"
            : `${counted(this.counted.size, "item")} counted, ${counted(new Set(near.map(({ beacon }) => beacon)).size,
                "tag")} of this inventory in reach.`;
        if (this.state.textContent !== text) this.state.textContent = text;
    }

    offer(readings) {
        const names = readings.map(({ reader }) => reader);
        if (this.reader && !names.includes(this.reader)) names.push(this.reader);
        const contents = names.join("\n");
        if (contents === this.contents) return;
        this.contents = contents;
        fill(this.choice, h("option", { value: "" }, "All readers"),
            names.map((name) => h("option", { value: name, selected: name === this.reader }, readerTitle(name))));
    }
}
