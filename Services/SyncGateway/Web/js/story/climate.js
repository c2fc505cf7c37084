/** The measurements of a story, on the plot and in each store, and its alarms. */
import { chart, chartLabel } from "../common/chart.js";
import { h, when } from "../common/dom.js";
import {
    beyondLimit, civilDate, dayAndClock, dayOfYear, daysFromTo, measured, quantityName,
} from "../common/format.js";
import { groupBy } from "../common/groups.js";
import { icon } from "../common/icons.js";
import { inSentence, t } from "../common/language.js";

/** A table of more days has a row for each week. */
const daysAtMost = 31;
const hour = 3_600_000;

/** Returns the charts and tables. @param {import("../verify/passport.js").Story} story @returns {HTMLElement} */
export function climate(story) {
    if (story.readings.length === 0) return h("p.quiet", null, t`No sensor has measured where this lot was.`);
    const stays = groupBy(story.readings, (line) => `${line.role} ${line.place} ${line.from}`);
    return h("div.stays", null, [...stays.values()].map((lines) => stay(lines, story.farm.zone)));
}

function stay(lines, zone) {
    const [{ role, place }] = lines;
    const title = role === "field" ? t`While it grew` : t`While it was in store`;
    return h("section.stay", null,
        h("h3.stay-title", null, `${title}: ${place}`),
        h("p.quiet", null, measuredDays(lines, zone)),
        h("div.lines", null, lines.map((line) => figure(line, zone))));
}

/** Returns the days with measurements, which often begin later than the sowing. */
function measuredDays(lines, zone) {
    const hours = lines.flatMap((line) => line.hours.map(([at]) => at * hour));
    if (hours.length === 0) return null;
    const first = hours.reduce((one, other) => Math.min(one, other));
    const last = hours.reduce((one, other) => Math.max(one, other));
    return t`Measured ${daysFromTo(first, last, zone)}`;
}

function figure(line, zone) {
    const { quantity, unit, min, mean, max, hours } = line;
    const name = `${inSentence(quantityName(quantity))}, ${line.place}`;
    const isFlat = min === max;
    return h("figure.line", { "data-quantity": quantity },
        h("figcaption", null, icon(quantity),
            h("span.line-name", null, quantityName(quantity)),
            h("span.line-mean", null, `${measured(mean, quantity, unit)} ${isFlat ? t`all the time` : t`on average`}`),
            !isFlat && h("span.line-range", null,
                t`${measured(min, quantity, unit)} to ${measured(max, quantity, unit)}`)),
        hours.length > 1 && !isFlat && chart({ quantity, unit, zone, hours, label: chartLabel(line, name) }),
        hours.length > 0 && table(line, zone, name));
}

/** Returns the values as a table with a row for each day, or each week if there are many days. */
function table({ quantity, unit, hours }, zone, name) {
    const days = [...groupBy(hours, ([at]) => civilDate(at * hour, zone)).values()];
    const span = days.length > daysAtMost ? 7 : 1;
    const rows = [];
    for (let index = 0; index < days.length; index += span) rows.push(days.slice(index, index + span).flat());
    return h("details.fold.line-table", null,
        h("summary", null, t`Values as a table`, h("span.hidden", null, ` (${name})`)),
        h("table", null,
            h("caption.hidden", null, `${name}, ${span === 1 ? t`by day` : t`by week`}`),
            h("thead", null, h("tr", null,
                [span === 1 ? t`Day` : t`Week from`, t`Lowest`, t`Mean`, t`Highest`].map((text) =>
                    h("th", { scope: "col" }, text)))),
            h("tbody", null, rows.map((row) => h("tr", null,
                h("th", { scope: "row" }, dayOfYear(row[0][0] * hour, zone)),
                [lowest(row), average(row), highest(row)].map((value) =>
                    h("td", null, measured(value, quantity, unit))))))));
}

function lowest(row) {
    return Math.min(...row.map(([, value]) => value));
}

function average(row) {
    return row.reduce((sum, [, , value]) => sum + value, 0) / row.length;
}

function highest(row) {
    return Math.max(...row.map(([, , , value]) => value));
}

/** Returns the alarms. @param {import("../verify/passport.js").Story} story @returns {HTMLElement} */
export function alarms(story) {
    if (story.alarms.length === 0) {
        return h("p.calm", null, icon("check"), t`No alarm was recorded where this lot was.`);
    }
    return h("ul.alarms", { role: "list" }, story.alarms.map((alarm) => sentence(alarm, story.farm.zone)));
}

function sentence({ place, quantity, value, limit, overMinutes, raised, cleared }, zone) {
    return h("li.alarm", null, icon("bell"), h("div", null,
        h("p.alarm-what", null,
            `${place}: ${inSentence(quantityName(quantity))} `
                + beyondLimit(value, limit, quantity, overMinutes)),
        raised !== null && h("p.quiet", null, when(raised, dayAndClock(raised, zone)),
            cleared === null
                ? t`, not back within the limit yet`
                : [t` until `, when(cleared, dayAndClock(cleared, zone))])));
}
