/** The page of lots, with a search by number, product, item number, serial number, plot and day. */
import { get } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { h, when } from "../../common/dom.js";
import { Field } from "../../common/fields.js";
import { civilDate, counted, day, weight } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { go } from "../address.js";
import { loadLand } from "../farm.js";
import { addressOf, filtered, filterOf, Limits, pathOf } from "../lot-filter.js";
import { asOf } from "../parts.js";
import { pendingWork } from "../pending-work.js";

/** The maximum of requests for one page of search results. */
const searches = 20;

/** Returns the page. @param {import("../main.js").Context} context @param {string} [query] of the address */
export async function show(context, query) {
    const filter = filterOf(query);
    const isFiltered = [filter.q, filter.plot, filter.day].some(Boolean);
    const cached = new CachedLists();
    const land = await loadLand(cached);
    const { items, next } = await load(filter, isFiltered, land, cached);
    return {
        title: t`Lots`,
        content: [
            head(t`Lots`, t`A lot is what was harvested from one plot at one time. Its label leads buyers to its
                story.`),
            asOf(cached.since),
            context.can("grower") && h("p", null,
                h("a.button", { href: "#/harvest" }, icon("harvested"), t`Record a harvest`)),
            pendingWork(land, ({ body }) => body.grams !== undefined),
            search(filter, land),
            isFiltered && cached.since !== null
                && h("p.note", null, t`Without a connection only the newest ${Limits.lots} lots are searched.`),
            items.length > 0 ? [
                isFiltered && h("p.quiet", { role: "status" },
                    `${counted(items.length, "lot")} ${next ? t`so far` : t`found`}.`),
                h("ul.rows.lots", { role: "list" }, items.map((lot) => item(lot, land))),
            ] : isFiltered || filter.after
                ? nothingYet("info", t`No matching lots.`, h("a", { href: "#/lots" }, t`All lots`))
                : nothingYet("harvested", t`There are no lots yet. The first harvest creates one.`),
            pager(filter, next),
        ],
    };
}

/** Loads a page of lots. The server searches some thousand lots at a time, so a search may take several requests. */
async function load(filter, isFiltered, land, cached) {
    const zone = land.zoneOf(`plot/${filter.plot}`);
    if (!isFiltered && !filter.after) return cached.page(pathOf(filter, zone));
    if (cached.since !== null) {
        const { items } = await cached.page(pathOf(filterOf(), zone));
        return { items: filtered(items, filter, (farm) => land.zone(farm), civilDate), next: null };
    }
    const items = [];
    let { after } = filter;
    for (let count = 0; count < searches; count += 1) {
        const answer = await get(pathOf({ ...filter, after }, zone));
        items.push(...answer.items);
        after = answer.next ?? "";
        if (after === "" || items.length >= Limits.lots / 2) break;
    }
    return { items, next: after || null };
}

function search(filter, land) {
    const fields = [
        new Field({ name: "q", isFilter: true, label: t`Search`, value: filter.q, type: "text",
            hint: t`Lot, product, item number (GTIN), or the serial number of a box.`,
            attributes: { maxlength: 200, autocomplete: "off", enterkeyhint: "search" } }),
        new Field({ name: "plot", isFilter: true, label: t`Plot`, type: "select", value: filter.plot,
            options: [["", t`All plots`], ...land.plots.map((one) => [one.plot, one.title])] }),
        new Field({ name: "day", isFilter: true, label: t`Harvest date`, type: "date", value: filter.day }),
    ];
    const isFiltered = fields.some(({ value }) => value !== undefined);
    const about = { role: "search", "aria-label": t`Search lots`, "data-form": "search-lots" };
    const element = h("form.card.lot-search", about, fields.map((field) => field.element),
        h("div.form-end", null, h("button.button", { type: "submit" }, t`Search`),
            isFiltered && h("a.button.button-quiet", { href: "#/lots" }, t`All lots`)));
    element.addEventListener("submit", (event) => {
        event.preventDefault();
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        go(addressOf(Object.fromEntries(fields.map(({ name, value }) => [name, value ?? ""]))));
    });
    return element;
}

function pager(filter, next) {
    if (!filter.after && !next) return null;
    return h("nav.pager", { "aria-label": t`Pages of lots` },
        filter.after && h("a.button.button-quiet", { href: `#${addressOf({ ...filter, after: "" })}` }, t`Newest lots`),
        next && h("a.button.button-quiet", { href: `#${addressOf({ ...filter, after: next })}` }, t`Older lots`));
}

function item(lot, land) {
    return h("li.card.lot", { "data-lot": lot.lot },
        h("h2", null, h("a", { href: `#/lots/${lot.lot}` }, lot.product)),
        h("p", null, lot.lot, ", ", weight(lot.grams), lot.boxes > 0 && t`, ${lot.boxes} boxes`),
        h("p.quiet", null,
            lot.harvested && [t`harvested `, when(lot.harvested, day(lot.harvested, land.zone(lot.farm))), ", "],
            whereabouts(lot, land)),
        lot.recalled && h("p.lot-alarm", null, icon("warning"), t`Recalled: ${lot.recalled}`),
        lot.held && !lot.recalled && h("p.lot-alarm", null, icon("warning"), t`On hold: ${lot.held}`),
        lot.alarm && h("p.lot-alarm", null, icon("bell"), t`There was an alarm where it is stored`));
}

function whereabouts(lot, land) {
    if (lot.handedTo) return t`handed over to ${lot.handedTo}`;
    return lot.place ? `in ${land.title(lot.place)}` : t`not in a store`;
}
