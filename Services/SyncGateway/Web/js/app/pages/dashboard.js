/** Today on the farm: what is wrong, what the places measure, and what to do next. */
import { fill, h, when } from "../../dom.js";
import { dayAndClock, measured } from "../../format.js";
import { icon } from "../../icons.js";
import { list } from "../api.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { alarmSentence, head, latestValues, nothingYet } from "../parts.js";
import { foundFarm } from "./found-farm.js";

/** @param {import("../main.js").Context} context */
export async function show(context) {
    const [land, alarms] = await Promise.all([loadLand(), list("/v1/alarms")]);
    if (land.farms.length === 0) return { title: "Your farm", content: foundFarm(context) };
    const board = new AlarmBoard(land, alarms);
    const places = h("div.places", null, [...land.places].map(([place, row]) => placeCard(place, row, land)));
    const signal = h("p.signal", { "data-live": "connecting" }, "Connecting …");
    const leave = listen({
        state: (isOn) => {
            signal.dataset.live = isOn ? "on" : "off";
            fill(signal, icon(isOn ? "check" : "offline"), isOn ? "Live" : "Not live: trying to connect again");
        },
        alarm: (alarm) => {
            board.hear(alarm);
            const sentence = alarmSentence(alarm, land.title(alarm.place));
            context.announce(alarm.raised ? `Alarm. ${sentence}` : `Alarm over. ${sentence}`);
        },
        reading: ({ place, readings, at }) => {
            for (const reading of Array.isArray(readings) ? readings : []) update(places, place, reading, at, land);
        },
    });
    const title = land.farms.map((farm) => farm.title).join(", ");
    return {
        title: "Today", leave,
        content: [
            h("div.head-row", null, head(title), signal),
            board.element,
            h("section.block", null,
                h("h2", null, "Places"), places.childElementCount > 0 ? places : nextSteps(context)),
        ],
    };
}

function placeCard(place, row, land) {
    const isPlot = place.startsWith("plot/");
    const name = place.slice(place.indexOf("/") + 1);
    return h("article.card.place", { "data-place": place },
        h("h3", null, icon(isPlot ? "field" : "stored"),
            h("a", { href: `/#/${isPlot ? "plots" : "stores"}/${name}` }, row.title)),
        row.crop && h("p.quiet", null, row.crop),
        latestValues(row.latest, land.zoneOf(place)));
}

/** A value that has just come in, if its place is shown and measures it. */
function update(places, place, { quantity, value, unit }, at, land) {
    if (typeof place !== "string" || !Number.isFinite(value) || !at) return;
    const card = places.querySelector(`[data-place="${CSS.escape(place)}"]`);
    const slot = card?.querySelector(`[data-quantity="${CSS.escape(quantity)}"] dd`);
    if (slot) {
        fill(slot, h("strong", null, measured(value, quantity, unit)),
            h("span.quiet", null, when(at, dayAndClock(at, land.zoneOf(place)))));
    }
}

function nextSteps({ can }) {
    if (!can("grower")) return nothingYet("field", "There are no plots and stores yet.");
    return nothingYet("field", "Begin with the land: lay out a plot, then open a store and bind a sensor to each.",
        h("a.button", { href: "/#/plots" }, "Lay out a plot"));
}

/** The alarms that are on, kept up to date by what comes in. */
class AlarmBoard {
    constructor(land, alarms) {
        this.land = land;
        this.on = new Map(alarms.filter((alarm) => !alarm.cleared).map((alarm) => [key(alarm), alarm]));
        this.list = h("div.alarm-list");
        this.element = h("section.block", { id: "alarms" }, h("h2", null, "Alarms"), this.list);
        this.draw();
    }

    hear(alarm) {
        if (alarm.raised) this.on.set(key(alarm), { ...alarm, raised: alarm.at });
        else this.on.delete(key(alarm));
        this.draw();
    }

    draw() {
        fill(this.list, this.on.size === 0
            ? h("p.calm", null, icon("check"), "All values are within their limits.")
            : h("ul", { role: "list" }, [...this.on.values()].map((alarm) => this.item(alarm))));
    }

    item(alarm) {
        const since = alarm.raised && h("p.quiet", null, "since ",
            when(alarm.raised, dayAndClock(alarm.raised, this.land.zoneOf(alarm.place))));
        return h("li.alarm", { "data-place": alarm.place }, icon("bell"),
            h("div", null, h("p.alarm-what", null, alarmSentence(alarm, this.land.title(alarm.place))), since));
    }
}

function key({ rule, point, place, quantity }) {
    return [rule, point, place, quantity].join(" ");
}
