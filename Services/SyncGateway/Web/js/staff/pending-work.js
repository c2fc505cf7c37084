/** `<waiting-work>`: activities and harvests that the server has not accepted yet, as a list that updates itself. */
import { fill, h, when } from "../common/dom.js";
import { activityDone, dayAndClock, number, weight, withTimesOf } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { drop, isVolatile, onPendingChange, pendingEntries } from "./outbox.js";

class PendingWork extends HTMLElement {
    /** @type {(row: any) => boolean} */
    #fits = () => true;
    #land = null;
    #shown = new Set();
    #end = () => {};

    /** @param {import("./farm.js").Land} land @param {(row: any) => boolean} fits */
    prepare(land, fits) {
        this.#land = land;
        this.#fits = fits;
        return this;
    }

    connectedCallback() {
        this.#end = onPendingChange(() => this.draw());
        this.draw();
    }

    disconnectedCallback() {
        this.#end();
    }

    draw() {
        const rows = pendingEntries("work").filter(this.#fits);
        const names = new Set(rows.map(({ id }) => id));
        // Accepted entries are in the server's lists now, which the page does not show yet.
        if ([...this.#shown].some((name) => !names.has(name))) this.setAttribute("data-outdated", "");
        this.#shown = names;
        fill(this, rows.length > 0 && h("ul.waiting-work", { role: "list", "aria-label": t`Not sent yet` },
            rows.map((row) => item(row, this.#land))));
    }
}
customElements.define("waiting-work", PendingWork);

/**
 * Returns the list of pending work.
 * @param {import("./farm.js").Land} land
 * @param {(row: any) => boolean} [fits] filters the entries
 * @returns {HTMLElement}
 */
export function pendingWork(land, fits = () => true) {
    return /** @type {PendingWork} */ (document.createElement("waiting-work")).prepare(land, fits);
}

/** @param {Element} page @returns {boolean} whether the server has accepted an entry that the page showed as pending */
export function hasAcceptedWork(page) {
    return page.querySelector("waiting-work[data-outdated]") !== null;
}

/** @param {import("../common/outbox.js").OutboxEntry} row @param {import("./farm.js").Land} land */
function item({ id, state, reason, body, shown }, land) {
    const place = `plot/${shown.plot}`;
    const zone = land.zoneOf(place);
    return h("li.card.pending", { "data-work": id },
        state === "refused"
            ? h("p.lot-alarm", null, icon("warning"), t`The farm server refused this:
                ${withTimesOf(reason, zone)}`)
            : h("p.pending-state", null, icon("clock"), isVolatile(id)
                ? t`Not sent yet: keep this page open, as this browser stores nothing. It is sent once, as soon as
                    there is a connection.`
                : t`Not sent yet: it is saved on this device, and sent once, as soon as there is a connection.`),
        h("p", null, h("strong", null, shown.kind ? activityDone(shown.kind) : t`Harvested: ${body.product}`), ", ",
            land.title(place)),
        h("p.quiet", null, [details(body), body.happened && when(body.happened, dayAndClock(body.happened, zone))]
            .filter(Boolean).flatMap((one, index) => (index === 0 ? [one] : [", ", one]))),
        state === "refused" && h("div.form-end", null,
            h("button.button.button-quiet", { type: "button", onclick: () => drop(id) }, t`Dismiss`)));
}

function details({ substance, amount, unit, grams, lot }) {
    const much = amount === undefined ? null : `${number(amount)}${unit ? `\u00a0${unit}` : ""}`;
    return [substance, much, grams && weight(grams), lot && t`lot ${lot}`].filter(Boolean).join(", ");
}
