/** The page of the growth table of a plot, over any period, or of a lot while it grew. */
import { get } from "../../common/api.js";
import { fill, h, when } from "../../common/dom.js";
import { action } from "../../common/form.js";
import { dayAndClock, measured } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { go } from "../address.js";
import { loadLand } from "../farm.js";
import { noSuch } from "../parts.js";
import { periodName, periodOf } from "../period.js";
import { periodAddress, periodFilter, periodGiven, periodPager } from "../period-filter.js";

const columns = [t`No.`, t`Temperature`, t`Air humidity`, t`Light`, t`Fertiliser`, t`Plant protection`, t`Time`];

/**
 * Returns the page.
 * @param {import("../main.js").Context} _context
 * @param {"plots"|"lots"} kind @param {string} name of the plot or lot @param {string} [query] of the address
 */
export async function show(_context, kind, name, query = "") {
    const land = await loadLand();
    return kind === "lots" ? lotPage(name, land) : plotPage(name, query, land);
}

async function lotPage(name, land) {
    const lot = await get(`/v1/lots/${name}`);
    const title = t`Growth of lot ${name}`;
    return {
        title,
        content: [
            h("p.crumbs", null, h("a", { href: `#/lots/${name}` }, `${lot.product}, ${name}`)),
            head(title, t`${land.title(`plot/${lot.plot}`)}, until the harvest`),
            await table({ lot: name, resolution: "1d" }, land.zone(lot.farm), title),
        ],
    };
}

async function plotPage(name, query, land) {
    const row = land.places.get(`plot/${name}`);
    if (!row) return noSuch(t`plot`, "#/plots", t`All plots`);
    const zone = land.zone(row.farm);
    const period = periodOf(periodGiven(query), zone, Date.now());
    const address = (more) => periodAddress(`/plots/${name}/growth`, more);
    const title = t`Growth on ${row.title}`;
    const given = {
        plot: name, from: new Date(period.from).toISOString(), to: new Date(period.to - 1).toISOString(),
        resolution: period.resolution === "1d" ? "1d" : "1h",
    };
    return {
        title,
        content: [
            h("p.crumbs", null, h("a", { href: `#/plots/${name}` }, row.title)),
            head(title, periodName(period, zone)),
            periodFilter(period, [], (more) => go(address(more))), periodPager(period, address),
            await table(given, zone, title),
        ],
    };
}

/** Returns the table with its first page; a button adds the next one. */
async function table(given, zone, title) {
    const path = (more) => `/v1/growth?${new URLSearchParams({ ...given, ...more })}`;
    let page = await get(path({}));
    if (page.items.length === 0 && !page.next) {
        return nothingYet("gauge", t`Nothing was measured or applied in this time.`);
    }
    const body = h("tbody", { role: "rowgroup" }, page.items.map((record) => line(record, zone)));
    const end = h("div.form-end.block");
    const showEnd = () => fill(end,
        page.next && action({
            name: "more-growth", label: t`Show more`, kind: "button-quiet",
            send: () => get(path({ after: page.next })),
            done: (next) => {
                page = next;
                body.append(...page.items.map((record) => line(record, zone)));
                showEnd();
            },
        }),
        h("a.button.button-quiet", { href: path({ format: "csv" }), download: "growth.csv" }, t`Download CSV`));
    showEnd();
    return h("section.card.block", null,
        h("p.quiet", null, given.resolution === "1d" ? t`Means of each day. ` : t`Means of each hour. `,
            t`Fertiliser and plant protection are the activities that were recorded on the plot.`),
        h("div.wide-table.growth", { tabindex: "0", role: "region", "aria-label": title }, h("table", { role: "table" },
            h("caption.hidden", null, title),
            h("thead", { role: "rowgroup" }, h("tr", { role: "row" },
                columns.map((text) => h("th", { scope: "col", role: "columnheader" }, text)))),
            body)),
        end);
}

/** @param {any} record with the fields of the API @param {string} zone */
function line({ SAF01, SAF02, SAF03, SAF04, SAF05, SAF06, SAF07, corrections = [] }, zone) {
    const value = (number, quantity) => number !== undefined && measured(number, quantity);
    const earlier = corrections.map((text) => h("span.note", null, t`Corrected. Before: ${text}`));
    const applied = (text) => text !== undefined && h("div", null, text, earlier);
    const cells = [value(SAF02, "temperature"), value(SAF03, "humidity"), value(SAF04, "illuminance"),
        applied(SAF05), applied(SAF06), when(SAF07, dayAndClock(SAF07, zone))];
    // The roles keep the table's meaning where a narrow screen shows each record as a block.
    return h("tr", { role: "row", "data-serial": SAF01 }, h("th", { scope: "row", role: "rowheader" }, SAF01),
        cells.map((cell, index) => h("td", { role: "cell", "data-label": columns[index + 1], "data-empty": !cell },
            cell || "–")));
}
