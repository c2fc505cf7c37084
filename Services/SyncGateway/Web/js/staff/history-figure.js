/** One curve of a history: what is worth knowing in words, the chart with limits and alarms, and a table. */
import { chart, chartLabel } from "../common/chart.js";
import { h, when } from "../common/dom.js";
import {
    beyondLimit, civilDate, counted, dayAndClock, dayOfYear, measured, number, quantityName, unitOf,
} from "../common/format.js";
import { groupBy } from "../common/groups.js";
import { icon } from "../common/icons.js";
import { inSentence, t } from "../common/language.js";
import { shownDifference, shownUnit } from "../common/units.js";
import { worstOf } from "./readings.js";

/** A table of more rows has a row for each day. */
const rowsAtMost = 120;
const hour = 3_600_000;

/**
 * @typedef {object} Curve
 * @property {string} title of the place or point
 * @property {string} quantity
 * @property {string} zone
 * @property {import("./period.js").Period} period
 * @property {import("./readings.js").History} history
 * @property {any[]} alarms of the quantity in the period
 * @property {string} csv the address of the file
 */

/** Returns the figure. @param {Curve} curve @returns {HTMLElement} */
export function historyFigure(curve) {
    const { title, quantity, history, csv } = curve;
    const name = `${inSentence(quantityName(quantity))}, ${title}`;
    const isEmpty = history.buckets.length === 0;
    return h("figure.card.line.history", { "data-title": title },
        h("figcaption", null, h("h2", null, title)),
        isEmpty ? h("p.quiet", null, t`Nothing was measured in this time.`) : [
            history.isCut ? h("p.note", null, t`Only the first part of this time is shown. Choose a shorter one, or
                download the CSV file, which has all.`) : summary(curve),
            picture(curve, name), alarmList(curve), table(curve, name)],
        !isEmpty && h("p", null, h("a.button.button-quiet", { href: csv, download: "" },
            t`Download CSV`, h("span.hidden", null, ` (${name})`))));
}

/** Returns the worst value and the time beyond the limits. @param {Curve} curve */
function summary({ quantity, zone, history: { buckets, unit, above, below, hoursAbove, hoursBelow } }) {
    const text = (value) => measured(value, quantity, unit);
    const lowest = Math.min(...buckets.map(({ min }) => min));
    const highest = Math.max(...buckets.map(({ max }) => max));
    const last = buckets.at(-1);
    const own = unitOf(quantity, unit);
    const beyond = (hours, side, limit) => hours !== null && hours > 0 && h("p.beyond", null, icon("bell"),
        t`${number(shownDifference(hours, own), 1)} ${shownUnit(own)}·h ${side} the limit of ${text(limit)}`);
    return [
        h("dl.latest", null,
            entry(t`Last value`, text(last.last), when(last.at, dayAndClock(last.at, zone))),
            worstEntry(worstOf(buckets, { above, below }), text, zone),
            entry(t`Lowest to highest`, `${text(lowest)} to ${text(highest)}`)),
        beyond(hoursAbove, "above", above), beyond(hoursBelow, "below", below),
    ];
}

function worstEntry(worst, text, zone) {
    return worst && entry(t`Worst value`, text(worst.value), when(worst.at, dayAndClock(worst.at, zone)),
        worst.isBeyond ? t`Beyond the limit` : t`Within the limits`);
}

function entry(name, value, ...more) {
    return h("div", null, h("dt", null, name), h("dd", null, h("strong", null, value),
        more.map((text) => h("span.quiet", null, text))));
}

/** @param {Curve} curve @param {string} name */
function picture({ quantity, zone, period, history: { buckets, unit, above, below }, alarms }, name) {
    /** @type {[number, number, number, number][]} */
    const hours = buckets.map(({ at, min, mean, max }) => [Date.parse(at) / hour, min, mean, max]);
    const limits = [above !== undefined && t`upper limit ${measured(above, quantity, unit)}`,
        below !== undefined && t`lower limit ${measured(below, quantity, unit)}`,
        alarms.length > 0 && counted(alarms.length, "alarm")].filter(Boolean);
    const label = [chartLabel({ quantity, unit, zone, hours }, name), ...limits].join(", ");
    return chart({
        quantity, unit, zone, hours, label, above, below,
        span: [period.from, Math.min(period.to, Date.now())],
        alarms: alarms.map(({ raised, cleared }) => [Date.parse(raised), cleared ? Date.parse(cleared) : Date.now()]),
    });
}

/** @param {Curve} curve */
function alarmList({ quantity, zone, alarms }) {
    if (alarms.length === 0) return null;
    return h("details.fold", null, h("summary", null, counted(alarms.length, "alarm")),
        h("ul.rows", { role: "list" }, alarms.map(({ value, limit, overMinutes, raised, cleared }) => h("li", null,
            h("p", null, beyondLimit(value, limit, quantity, overMinutes)),
            h("p.quiet", null, when(raised, dayAndClock(raised, zone)),
                cleared ? [t` to `, when(cleared, dayAndClock(cleared, zone))] : t`, still on`)))));
}

/** Returns the values as a table that is filled when it is opened. @param {Curve} curve @param {string} name */
function table({ quantity, zone, history: { buckets, unit } }, name) {
    const days = [...groupBy(buckets, ({ at }) => civilDate(at, zone)).values()];
    const isByDay = buckets.length > rowsAtMost;
    const rows = isByDay ? days : buckets.map((bucket) => [bucket]);
    const title = ({ at }) => (isByDay ? dayOfYear(at, zone) : dayAndClock(at, zone));
    const count = (row) => row.reduce((sum, { n }) => sum + n, 0);
    const body = h("tbody");
    const fold = h("details.fold.line-table", null,
        h("summary", null, t`Values as a table`, h("span.hidden", null, ` (${name})`)),
        h("div.wide-table", { tabindex: "0", role: "region", "aria-label": t`Values, ${name}` }, h("table", null,
            h("caption.hidden", null, name),
            h("thead", null, h("tr", null, [isByDay ? t`Day` : t`Time`, t`Lowest`, t`Mean`, t`Highest`, t`Reports`].map(
                (text) => h("th", { scope: "col" }, text)))),
            body)));
    fold.addEventListener("toggle", () => {
        if (body.childElementCount > 0) return;
        body.append(...rows.map((row) => h("tr", null, h("th", { scope: "row" }, title(row[0])),
            [Math.min(...row.map(({ min }) => min)),
                row.reduce((sum, { n, mean }) => sum + n * mean, 0) / count(row),
                Math.max(...row.map(({ max }) => max))].map((value) => h("td", null, measured(value, quantity, unit))),
            h("td", null, number(count(row), 0)))));
    });
    return fold;
}
