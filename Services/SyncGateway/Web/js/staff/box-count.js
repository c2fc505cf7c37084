/** The boxes of a store: a stocktake of them, and what it means for the stock of the market. */
import { command } from "../common/api.js";
import { h } from "../common/dom.js";
import { action } from "../common/form.js";
import { counted } from "../common/format.js";
import { newKey } from "../common/idempotency.js";
import { t } from "../common/language.js";
import { freeName } from "./parts.js";

/**
 * Returns the button that starts a stocktake of the boxes in a store, or the link to the open one.
 * @param {any} store of `Land` @param {any[]} inventories @param {any[]} stocktakes
 */
export function countBoxes({ store, title }, inventories, stocktakes) {
    const place = `store/${store}`;
    const inventory = inventories.find((one) => one.boxes && one.place === place);
    if (inventory?.stocktake) {
        return h("p", null, h("a.button", { href: `#/stocktakes/${inventory.stocktake}` },
            t`The boxes are being counted: count, too`));
    }
    const day = new Date().toISOString().slice(0, 10);
    const name = inventory?.inventory ?? freeName(`boxes-${store}`.slice(0, 30),
        new Set(inventories.map((one) => one.inventory)));
    const stocktake = freeName(`${name.slice(0, 25)}-${day}`, new Set(stocktakes.map((one) => one.stocktake)));
    return action({
        name: `count-boxes ${store}`, label: t`Count the boxes`, kind: "button-quiet",
        send: async (key) => {
            if (!inventory) {
                await command("PUT", `/v1/inventories/${name}`, { title: t`Boxes in ${title}`, place, boxes: true },
                    newKey());
            }
            return command("POST", `/v1/inventories/${name}/stocktakes`,
                { stocktake, title: t`Boxes in ${title}, ${day}` }, key);
        },
        done: () => {
            location.hash = `#/stocktakes/${stocktake}`;
        },
    });
}

/**
 * @typedef {{lot: string, found: number, boxes: number}} CountedLot
 * @param {import("./stocktake-count.js").Line[]} lines of a stocktake of boxes
 * @returns {CountedLot[]} by lot
 */
export function lotsOf(lines) {
    /** @type {Map<string, CountedLot>} */
    const lots = new Map();
    for (const { thing, state } of lines) {
        if (!thing.startsWith("item/") || state === "removed") continue;
        const [, lot] = thing.split("/");
        const one = lots.get(lot) ?? { lot, found: 0, boxes: 0 };
        one.boxes += 1;
        if (state === "found" || state === "doubled") one.found += 1;
        lots.set(lot, one);
    }
    return [...lots.values()].sort((one, other) => one.lot.localeCompare(other.lot));
}

/**
 * The lots with what the market has of them. After the end, a difference can be made a correction of the stock.
 * @param {any} context @param {any} stocktake @param {CountedLot[]} lots @param {Map<string, any>} stock by lot
 */
export function lotList(context, stocktake, lots, stock) {
    return h("section.block", { id: "counted-lots" }, h("h2", null, t`Lots`),
        h("ul.rows", { role: "list" }, lots.map((lot) => h("li", { "data-lot": lot.lot },
            h("p", null, h("strong", null, h("a", { href: `#/lots/${lot.lot}` }, lot.lot)),
                t` · ${lot.found} of ${counted(lot.boxes, "box", "boxes")} found`),
            comparison(context, stocktake, lot, stock.get(lot.lot))))));
}

function comparison(context, { stocktake, title, finished }, { lot, found, boxes }, stock) {
    if (!stock || stock.boxes === 0) return h("p.quiet", null, t`The market has no boxes of this lot.`);
    const by = found - stock.boxes;
    const known = t`The market has ${stock.boxes}, of which ${stock.ordered + stock.held} are ordered or in carts;
        ${stock.collected} were collected.`;
    if (by === 0) return h("p.quiet", null, t`${known} That agrees.`);
    const difference = by < 0 ? t`${counted(-by, "box", "boxes")} fewer` : t`${counted(by, "box", "boxes")} more`;
    return [h("p.note", null, t`${known} There ${by === -1 || by === 1 ? t`is` : t`are`} ${difference}.`),
        finished && context.can("grower") && action({
            name: `correct ${stocktake} ${lot}`,
            label: t`Correct the stock of ${lot} by ${by > 0 ? "+" : "−"}${Math.abs(by)}`,
            kind: "button-quiet",
            send: (key) => command("POST", `/v1/stock/${lot}/adjustments`,
                { by, reason: t`${title}: ${found} of ${boxes} boxes found`.slice(0, 200) }, key),
            done: (answer) => {
                context.announce(t`${answer.boxes} boxes of ${lot} are for sale.`);
                return context.refresh();
            },
        })];
}
