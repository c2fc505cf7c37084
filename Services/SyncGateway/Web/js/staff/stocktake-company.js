/** Who else counts in a stocktake now, and where. */
import { fill, h } from "../common/dom.js";
import { t } from "../common/language.js";

/** How long a person who has counted is shown. */
const Limits = { milliseconds: 300_000 };

export class Company {
    /** @param {{me: {person: string}}} context @param {import("./farm.js").Land} land */
    constructor(context, land) {
        this.me = `person/${context.me.person}`;
        this.land = land;
        /** By person. @type {Map<string, {name: string, place?: string, at: number}>} */
        this.others = new Map();
        this.element = h("p.quiet", { id: "company", role: "status" });
    }

    /** @param {{by?: string, name?: string, place?: string}} who has counted just now */
    note({ by = "", name = t`Another person`, place }) {
        if (by === "" || by === this.me) return;
        this.others.set(by, { name, place, at: Date.now() });
        this.draw();
    }

    draw() {
        const now = [...this.others.values()].filter(({ at }) => Date.now() - at < Limits.milliseconds);
        const text = now.map(({ name, place }) => (place ? `${name} at ${this.land.title(place)}` : name)).join(", ");
        const shown = text && t`Counting now: ${text}.`;
        if (this.element.textContent !== shown) fill(this.element, shown);
    }
}
