/** The lots of the farm, and the harvest that makes a new one. */
import { h, when } from "../../dom.js";
import { day, weight } from "../../format.js";
import { icon } from "../../icons.js";
import { toLocal } from "../../zones.js";
import { command } from "../api.js";
import { loadLand } from "../farm.js";
import { form } from "../form.js";
import { Kept } from "../kept.js";
import { asOf, head, nothingYet } from "../parts.js";
import { go } from "../address.js";

/** @param {import("../main.js").Context} context @param {string} [plot] to harvest */
export async function show(context, plot) {
    const kept = new Kept();
    const [land, lots] = await Promise.all([loadLand(kept), kept.list("/v1/lots")]);
    const newest = [...lots].sort((left, right) => (right.harvested ?? "").localeCompare(left.harvested ?? ""));
    return {
        title: "Lots",
        content: [
            head("Lots", "A lot is what came off one plot at one time. Its label leads buyers to its story."),
            asOf(kept.since),
            newest.length > 0 ? h("ul.rows.lots", { role: "list" }, newest.map((lot) => item(lot, land)))
                : nothingYet("harvested", "There is no lot yet. The first harvest makes one."),
            context.can("grower") && h("div.card.block", { id: "harvest" }, land.plots.length > 0
                ? harvest(land, plot)
                : nothingYet("field", "A harvest needs a plot.", h("a", { href: "#/plots" }, "Lay out a plot"))),
        ],
    };
}

function item(lot, land) {
    return h("li.card.lot", { "data-lot": lot.lot },
        h("h2", null, h("a", { href: `#/lots/${lot.lot}` }, lot.product)),
        h("p", null, lot.lot, ", ", weight(lot.grams), lot.boxes > 0 && `, ${lot.boxes} boxes`),
        h("p.quiet", null,
            lot.harvested && ["harvested ", when(lot.harvested, day(lot.harvested, land.zone(lot.farm))), ", "],
            whereabouts(lot, land)),
        lot.recalled && h("p.lot-alarm", null, icon("warning"), `Recalled: ${lot.recalled}`),
        lot.alarm && h("p.lot-alarm", null, icon("bell"), "There was an alarm where it lies"));
}

function whereabouts(lot, land) {
    if (lot.handedTo) return `handed over to ${lot.handedTo}`;
    return lot.place ? `in ${land.title(lot.place)}` : "not in a store";
}

function harvest(land, plot) {
    const chosen = land.places.has(`plot/${plot}`) ? plot : land.plots[0].plot;
    const zone = land.zoneOf(`plot/${chosen}`);
    return form({
        name: "harvest", title: "Harvest a lot", submit: "Harvest it",
        fields: [
            { name: "plot", label: "Plot", type: "select", required: true, value: chosen,
                options: land.plots.map((one) => [one.plot, one.title]) },
            { name: "product", label: "Product", required: true, value: land.places.get(`plot/${chosen}`)?.crop,
                hint: "As buyers will read it.", attributes: { maxlength: 200 } },
            { name: "grams", label: "Weight in kilograms", type: "number", required: true,
                attributes: { min: 0.001, step: 0.001 }, convert: (kilograms) => Math.round(kilograms * 1000) },
            { name: "happened", label: "When", type: "datetime", required: true, zone,
                value: toLocal(Date.now(), zone),
                hint: `The time at the farm (${zone.replaceAll("_", " ")}).`, isPast: true },
            { name: "lot", label: "Lot number",
                hint: "Left empty, one is made of the day. Capitals, digits and hyphens.",
                convert: (text) => text.toUpperCase(),
                attributes: { pattern: "[A-Za-z0-9\\-]{1,20}", title: "Use up to 20 letters, digits and hyphens." } },
            { name: "gtin", label: "Item number (GTIN)",
                hint: "From your GS1 prefix. Left empty, a number for use on the farm.",
                attributes: {
                    pattern: "[0-9]{8}|[0-9]{12,14}", inputmode: "numeric", title: "Use 8, 12, 13 or 14 digits.",
                } },
        ],
        send: (values, key) => command("POST", "/v1/lots", values, key),
        done: ({ lot }) => go(`/lots/${lot}`),
    });
}
