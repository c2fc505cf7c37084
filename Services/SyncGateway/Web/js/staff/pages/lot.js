/** The page of a lot: overview, custody, labels and forms. */
import { get } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { counted, day, dayAndClock, weight } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { facts, unprocessedNote } from "../parts.js";
import { lotForms } from "./lot-forms.js";
import { labelMaker } from "./lot-labels.js";

const steps = {
    harvested: t`Harvested`, corrected: t`Harvest corrected`, split: t`Split`, packed: t`Packed`,
    stored: t`Moved to store`, "handed-over": t`Handed over`, recalled: t`Recalled`, held: t`On hold`,
    released: t`Released`, "hold-lifted": t`Hold lifted`,
};

/** Returns the page. @param {import("../main.js").Context} context @param {string} name */
export async function show(context, name) {
    const [land, lot] = await Promise.all([loadLand(), get(`/v1/lots/${name}`)]);
    const zone = land.zone(lot.farm);
    const boxes = lot.boxList ?? (Array.isArray(lot.boxes) ? lot.boxes : []);
    return {
        title: `${lot.product}, ${lot.lot}`,
        content: [
            head(lot.product, t`Lot ${lot.lot}`),
            lot.recalled && h("div.alarm", null, icon("warning"),
                h("p.alarm-what", null, t`Recalled, do not eat: ${lot.recalled}`)),
            lot.held && !lot.recalled && h("div.alarm", null, icon("warning"),
                h("p.alarm-what", null,
                    t`On hold: do not label, sell or hand over until it is released. ${lot.held}`)),
            lot.released && h("p.note", null, t`Released after a hold: ${lot.released}`),
            lot.alarm && h("p.lot-alarm", null,
                icon("bell"), t`There was an alarm where this lot was stored. Its story shows it.`),
            lot.waiting && unprocessedNote(t`Some measurements of this lot`),
            h("div.columns", null,
                h("div", null,
                    h("div.card", null, overview(lot, boxes, land, zone)),
                    h("section.block", null, h("h2", null, t`Where it has been`), custody(lot, land, zone)),
                    h("p", null, h("a", { href: `#/lots/${lot.lot}/growth` },
                        t`Growth table: climate and treatments`))),
                h("div", null,
                    h("section.card", null, labelMaker(context, lot, boxes)),
                    lotForms(context, lot, land, zone))),
        ],
    };
}

function overview(lot, boxes, land, zone) {
    return facts([
        [t`Harvested`, lot.harvested && when(lot.harvested, day(lot.harvested, zone))],
        [t`From`, h("a", { href: `#/plots/${lot.plot}` }, land.title(`plot/${lot.plot}`))],
        [t`Weight`, weight(lot.grams)],
        [t`Remaining`, !lot.handedTo && weight(lot.left)],
        [t`Split off`, lot.splitOff > 0 && weight(lot.splitOff)],
        [t`In boxes`, lot.packed > 0 && weight(lot.packed)],
        [t`Boxes`, boxes.length > 0 ? counted(boxes.length, "box", "boxes") : null],
        [t`Stored in`, lot.place && land.title(lot.place)],
        [t`Handed over to`, lot.handedTo && `${lot.handedTo}, ${weight(lot.handedOver ?? lot.grams)}`],
        [t`Item number`, [h("span.code", null, lot.gtin), isRestricted(lot.gtin)
            && h("span.note", null, t`Only valid inside this farm: shops need one from a GS1 company prefix.`)]],
        [t`Part of`, lot.parent && h("a", { href: `#/lots/${lot.parent}` }, lot.parent)],
        [t`Split into`, lot.children?.length > 0 && lot.children.map((child) => {
            const part = child.lot ?? child;
            return [h("a", { href: `#/lots/${part}` }, part), " "];
        })],
    ]);
}

/** Whether a GTIN is a restricted circulation number: GS1 prefixes 02 and 20 to 29 are for use inside one company. */
function isRestricted(gtin) {
    return /^.(02|2)/.test(gtin ?? "");
}

function custody(lot, land, zone) {
    return h("ol.rows", { role: "list" }, (lot.custody ?? []).map((step) => h("li.step", null, h("span", null,
        h("strong", null, steps[step.what] ?? step.what), " ",
        [
            step.place && land.title(step.place), step.to && t`to ${step.to}`,
            step.boxes && counted(step.boxes, "box", "boxes"), step.grams && weight(step.grams), step.reason,
        ].filter(Boolean).join(", ")), " ",
        h("span.quiet", null, when(step.at, dayAndClock(step.at, zone))))));
}
