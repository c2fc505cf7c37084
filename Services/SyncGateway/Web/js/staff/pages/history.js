/** The page of the history of a place: curves of the place and of each measuring point, over any period. */
import { list } from "../../common/api.js";
import { fill, h } from "../../common/dom.js";
import { Field } from "../../common/fields.js";
import { quantitiesOfPlaces, quantityName } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { go } from "../address.js";
import { loadLand } from "../farm.js";
import { historyFigure } from "../history-figure.js";
import { noSuch } from "../parts.js";
import { periodName, periodOf } from "../period.js";
import { periodAddress, periodFilter, periodGiven, periodPager } from "../period-filter.js";
import { loadHistory, readingsPath } from "../readings.js";

/**
 * Returns the page.
 * @param {import("../main.js").Context} context
 * @param {"plots"|"stores"} kind @param {string} name of the plot or store @param {string} [query] of the address
 */
export async function show(context, kind, name, query = "") {
    const place = `${kind.slice(0, -1)}/${name}`;
    const [land, points] = await Promise.all([loadLand(), list("/v1/points")]);
    const row = land.places.get(place);
    if (!row && kind === "plots") return noSuch(t`plot`, "#/plots", t`All plots`);
    if (!row) return noSuch(t`store`, "#/stores", t`All stores`);
    const wanted = new URLSearchParams(query).get("quantity");
    const zone = land.zone(row.farm);
    const quantities = quantitiesOfPlaces(Object.keys(row.latest ?? {}));
    const quantity = quantities.find((one) => one === wanted) ?? quantities[0];
    const period = periodOf(periodGiven(query), zone, Date.now());
    const base = `/${kind}/${name}`;
    const address = (more) => periodAddress(`${base}/history`, { quantity, ...more });
    const choice = new Field({ name: "quantity", label: t`Show`, type: "select", isFilter: true, value: quantity,
        options: quantities.map((one) => [one, quantityName(one)]) });
    const title = t`History of ${row.title}`;
    const crumbs = h("p.crumbs", null, h("a", { href: `#${base}` }, row.title));
    if (quantity === undefined) {
        return { title, content: [crumbs, head(title), nothingYet("gauge", t`No sensor has measured here yet.`,
            h("a", { href: "#/sensors" }, t`Assign a sensor`))] };
    }
    const figures = h("div.histories", { role: "status" }, h("p.quiet", null, t`Loading the measurements…`));
    const here = points.filter((point) => point.place === place);
    load({ place, row, quantity, period, zone, here }, figures);
    return {
        title,
        content: [
            crumbs, head(title, `${quantityName(quantity)}, ${periodName(period, zone)}`),
            periodFilter(period, [choice], (more) => go(address(more))), periodPager(period, address), figures,
        ],
    };
}

/** Reads the histories and shows them side by side, each with the alarms of its points. */
async function load({ place, row, quantity, period, zone, here }, figures) {
    const time = { from: new Date(period.from).toISOString(), to: new Date(period.to - 1).toISOString() };
    const query = (more) => ({ ...more, quantity, ...time, resolution: period.resolution });
    const curve = async (title, selected, points) => {
        const [history, ...alarms] = await Promise.all([
            loadHistory(query(selected)), ...points.map((point) => alarmsOf(point.point, place, quantity, period))]);
        return historyFigure({ title, quantity, zone, period, history, alarms: alarms.flat(),
            csv: readingsPath({ ...query(selected), format: "csv" }) });
    };
    try {
        // The place's own curve has what former sensors measured, too.
        const whole = [[row.title, { place }, here]];
        const single = here.length === 1 ? [] : here
            .map((point) => [point.title, { point: point.point, place }, [point]]);
        // One after the other, so that a place with many points takes no more of the server than one.
        for (const [index, [title, selected, points]] of [...whole, ...single].entries()) {
            const figure = await curve(title, selected, points);
            if (index === 0) fill(figures, figure);
            else if (figures.isConnected) figures.append(figure);
            else return;
        }
        figures.dataset.loaded = "yes";
    } catch (error) {
        fill(figures, nothingYet("offline", error.message));
    }
}

async function alarmsOf(point, place, quantity, { from, to }) {
    const all = await list(`/v1/alarms/history?point=${encodeURIComponent(point)}`);
    return all.filter((alarm) => alarm.place === place && alarm.quantity === quantity
        && Date.parse(alarm.raised) < to && (!alarm.cleared || Date.parse(alarm.cleared) >= from));
}
