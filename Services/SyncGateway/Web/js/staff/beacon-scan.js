/** A list scan in a stocktake: what a reader has within a metre is counted by itself. */
import { fill, h } from "../common/dom.js";
import { counted } from "../common/format.js";
import { newKey } from "../common/idempotency.js";
import { t } from "../common/language.js";
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
        this.button = h("button.button", { type: "button", onclick: () => this.toggle() }, t`Start`);
        this.choice = h("select", { id: "scan-reader", onchange: (event) => {
            this.reader = event.target.value;
        } }, h("option", { value: "" }, t`All readers`));
        this.state = h("p", { role: "status" });
        this.element = h("div.form", { id: "beacon-scan" }, h("h2.form-title", null, t`Count with a reader`),
            h("p.quiet", null, t`Items with a beacon are counted when a reader has them within a metre for four
                seconds: walk along the shelves with a phone or gateway that posts here.`),
            h("div.field", null, h("label", { for: "scan-reader" }, t`Reader`), this.choice),
            this.state, h("div.form-end", null, this.button));
    }

    toggle() {
        if (this.watch) return this.close();
        this.button.textContent = t`Stop`;
        this.state.textContent = t`Waiting for a reader…`;
        this.watch = new BeaconWatch((watch) => this.take(watch.readings));
        return undefined;
    }

    close() {
        this.watch?.close();
        this.watch = null;
        this.button.textContent = t`Start`;
        if (this.counted.size > 0) this.state.textContent = t`${counted(this.counted.size, "item")} counted.`;
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
        const tags = new Set(near.map(({ beacon }) => beacon)).size;
        const text = mine.length === 0
            ? t`No reader receives anything. Is it on, and does it post to this farm?`
            : t`${counted(this.counted.size, "item")} counted, ${counted(tags, "tag")} of this inventory in reach.`;
        if (this.state.textContent !== text) this.state.textContent = text;
    }

    offer(readings) {
        const names = readings.map(({ reader }) => reader);
        if (this.reader && !names.includes(this.reader)) names.push(this.reader);
        const contents = names.join("\n");
        if (contents === this.contents) return;
        this.contents = contents;
        fill(this.choice, h("option", { value: "" }, t`All readers`),
            names.map((name) => h("option", { value: name, selected: name === this.reader }, readerTitle(name))));
    }
}
