/** Regions of beacons: which reader is in which, and the forms that set them. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { readerTitle } from "./beacons.js";
import { freeName, shortName } from "./parts.js";

/**
 * @typedef {{reader: string, beacon: string, since: string}} Visit
 * @typedef {{region: string, title: string, beacons: string, readers: Visit[]}} Region
 */

/**
 * Returns the list of regions, each with the readers in it.
 * @param {import("./main.js").Context} context @param {Region[]} regions @param {import("./farm.js").Land} land
 */
export function regionList(context, regions, land) {
    return h("ul.rows", { role: "list" }, regions.map((region) => h("li", { "data-region": region.region },
        h("p", null, h("strong", null, region.title)),
        h("p.quiet", null, region.beacons),
        region.readers.length > 0 ? region.readers.map((visit) => h("p", null, t`${readerTitle(visit.reader)}, since `,
            when(visit.since, dayAndClock(visit.since, land.zone())))) : h("p.quiet", null, t`No reader is in it.`),
        context.can("grower") && h("div.form-end", null, remove(context, region)))));
}

function remove(context, { region, title }) {
    const element = action({
        name: `remove-region ${region}`, label: t`Remove`, kind: "button-quiet",
        send: (key) => command("POST", `/v1/beacon-regions/${region}/removal`, {}, key),
        done: () => {
            context.announce(t`${title} was removed.`);
            return context.refresh();
        },
    });
    element.querySelector("button")?.setAttribute("aria-label", `Remove ${title}`);
    return element;
}

/**
 * Returns the form of a new region. What the items' beacons have in common is offered.
 * @param {import("./main.js").Context} context @param {Region[]} regions
 * @param {{beacon: string, inventory: string}[]} items those with a beacon @param {(inventory: string) => string} title
 */
export function regionForm(context, regions, items, title) {
    const taken = new Set(regions.map(({ region }) => region));
    const options = [...offers(items, title), ["others", t`Others, by their numbers`]];
    return form({
        name: "set-beacon-region", title: t`Watch a region`, submit: t`Watch`,
        lead: t`A reader is in a region from the first of its beacons that it receives, until it has received none for
            half a minute. Each entry and each exit is recorded.`,
        fields: [
            { name: "title", label: t`Name`, required: true, attributes: { maxlength: 200 } },
            { name: "choice", label: t`Its beacons`, type: "select", required: true, options, value: options[0][0] },
            { name: "beacons", label: t`Numbers`, attributes: { maxlength: 100, autocomplete: "off" },
                hint: t`ibeacon:UUID, also with :major and :minor, or eddystone:namespace.` },
        ],
        prepare: ({ choice, beacons }) => {
            const show = () => {
                const field = /** @type {HTMLElement} */ (beacons.closest(".field"));
                field.hidden = /** @type {HTMLSelectElement} */ (choice).value !== "others";
            };
            choice.addEventListener("change", show);
            show();
        },
        send: ({ title: name, choice, beacons = "" }, key) =>
            command("PUT", `/v1/beacon-regions/${freeName(shortName(name), taken)}`,
                { title: name, beacons: choice === "others" ? beacons : choice }, key),
        done: (_answer, { title: name }) => {
            context.announce(t`${name} is watched.`);
            return context.refresh();
        },
    });
}

/** The regions that contain beacons of items: one for each UUID, and one for each major number. */
function offers(items, title) {
    const offers = new Map();
    for (const { beacon, inventory } of items) {
        const [kind, first, major] = beacon.split(":");
        if (kind === "ibeacon") {
            offers.set(`ibeacon:${first}`, t`All beacons of ${first}`);
            offers.set(`ibeacon:${first}:${major}`, t`Those of ${title(inventory)}`);
        }
        if (kind === "eddystone" && /^[0-9a-f]{20}$/u.test(first)) {
            offers.set(`eddystone:${first}`, t`All beacons of ${first}`);
        }
    }
    return [...offers].sort(([one], [other]) => one.localeCompare(other));
}
