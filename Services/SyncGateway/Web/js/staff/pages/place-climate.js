/** The latest values of a place and a chart of the last two weeks. */
import { chart, chartLabel } from "../../common/chart.js";
import { fill, h, when } from "../../common/dom.js";
import { dayAndClock, measured, quantitiesOfPlaces, quantityName } from "../../common/format.js";
import { inSentence, t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { latestValues, unprocessedNote } from "../parts.js";
import { loadHistory, worstOf } from "../readings.js";

const hour = 3_600_000;
const what = t`Some measurements from here`;

/**
 * Returns the section about a place's measurements.
 * @param {string} place @param {any} row of the place @param {string} zone
 * @param {boolean} [isOffline] omits the chart, which needs a connection
 * @returns {Promise<HTMLElement>}
 */
export async function placeClimate(place, row, zone, isOffline = false) {
    const quantities = quantitiesOfPlaces(Object.keys(row.latest ?? {}));
    if (quantities.length === 0) {
        return h("section.card.block", null, h("h2", null, t`Measurements`), row.waiting && unprocessedNote(what),
            nothingYet("gauge", t`No sensor measures here yet.`, h("a", { href: "#/sensors" }, t`Assign a sensor`)));
    }
    const figure = h("figure.line");
    const select = h("select", { id: "quantity" },
        quantities.map((quantity) => h("option", { value: quantity }, quantityName(quantity))));
    const draw = async () => {
        const quantity = select.value;
        const drawn = await picture(place, quantity, row, zone);
        if (select.value === quantity) fill(figure, drawn);
    };
    select.addEventListener("change", async () => {
        try {
            await draw();
        } catch (error) {
            fill(figure, nothingYet("offline", error.message));
        }
    });
    if (isOffline) fill(figure, nothingYet("offline", t`The chart needs a connection.`));
    else await draw();
    return h("section.card.block", null,
        h("h2", null, t`Measurements`), row.waiting && unprocessedNote(what),
        latestValues(row.latest, zone),
        h("div.field.field-inline", null, h("label", { for: "quantity" }, t`Show`), select),
        figure,
        h("p", null, h("a", { href: `#/${place.replace("/", "s/")}/history` },
            t`History: all sensors, any time, CSV`)));
}

async function picture(place, quantity, row, zone) {
    const { buckets, above, below } = await loadHistory({ place, quantity, resolution: "1h" });
    if (buckets.length === 0) return h("p.quiet", null, t`Nothing was measured in the last two weeks.`);
    if (buckets.length === 1) return h("p.quiet", null, t`The chart begins after the first hours of measurements.`);
    /** @type {import("../../common/chart.js").Series["hours"]} */
    const hours = buckets.map(({ at, min, mean, max }) => [Date.parse(at) / hour, min, mean, max]);
    const series = { quantity, unit: row.latest[quantity]?.unit ?? "", zone, hours, above, below };
    const lowest = Math.min(...hours.map(([, value]) => value));
    const highest = Math.max(...hours.map(([, , , value]) => value));
    const worst = worstOf(buckets, { above, below });
    return [
        h("figcaption", null, t`${quantityName(quantity)} of the last two weeks: `,
            t`${measured(lowest, quantity)} to ${measured(highest, quantity)}`),
        worst && h("p.worst", null, t`Worst: `, h("strong", null, measured(worst.value, quantity)), ", ",
            when(worst.at, dayAndClock(worst.at, zone)), worst.isBeyond ? t`, beyond the limit`
                : t`, within the limits`),
        chart({ ...series, label: chartLabel(series, inSentence(quantityName(quantity))) }),
    ];
}
