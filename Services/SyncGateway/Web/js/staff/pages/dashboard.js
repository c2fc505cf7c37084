/** Today on the farm: what is wrong, what the places measure, and what to do next. */
import { list } from "../../common/api.js";
import { Kept } from "../../common/cache.js";
import { fill, h, when } from "../../common/dom.js";
import { dayAndClock } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { head, nothingYet } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { alarmSentence, asOf, latestValues } from "../parts.js";
import { loadReporting, WatchBoard, watchReporting } from "../reporting.js";
import { foundFarm } from "./create-farm.js";

/** @param {import("../main.js").Context} context */
export async function show(context) {
    const kept = new Kept();
    const [land, alarms, points, holds] = await Promise.all(
        [loadLand(kept), kept.list("/v1/alarms"), kept.list("/v1/points"), kept.list("/v1/holds")]);
    if (land.farms.length === 0) return { title: "Your farm", content: foundFarm(context) };
    const reporting = kept.since === null ? await loadReporting() : null;
    const board = new AlarmBoard(land, alarms, points, reporting);
    const places = new PlaceBoard(land);
    const held = new HoldBoard(holds);
    const signal = h("p.signal", { "data-live": "connecting" }, "Connecting …");
    const age = asOf(kept.since);
    const stop = listen({
        state: (isOn) => {
            if (isOn && age) age.remove();
            signal.dataset.live = isOn ? "on" : "off";
            if (isOn) catchUp(board, places, held);
            fill(signal, icon(isOn ? "check" : "offline"), isOn ? "Live" : "Not live: reconnecting");
        },
        alarm: (alarm) => {
            board.hear(alarm);
            const sentence = alarmSentence(alarm, land.title(alarm.place));
            context.announce(alarm.raised ? `Alarm. ${sentence}` : `Alarm cleared. ${sentence}`);
        },
        reading: (reading) => places.hear(reading),
    });
    const endWatch = watchReporting((reporting) => board.report(reporting));
    const leave = () => {
        stop();
        endWatch();
    };
    const title = land.farms.map((farm) => farm.title).join(", ");
    return {
        title: "Today", leave,
        content: [
            h("div.head-row", null, head(title), signal),
            age,
            held.element,
            board.element,
            h("section.block", null,
                h("h2", null, "Places"), land.places.size > 0 ? places.element : nextSteps(context)),
        ],
    };
}

/** What came while nobody listened: before the first connection and between two. What comes meanwhile is newer. */
async function catchUp(board, places, held) {
    const meanwhile = board.noteWhatComes();
    try {
        const [land, alarms, holds, reporting] = await Promise.all(
            [loadLand(), list("/v1/alarms"), list("/v1/holds"), loadReporting()]);
        held.replace(holds);
        board.report(reporting);
        for (const [place, { latest }] of land.places) places.catchUp(place, latest);
        board.replace(alarms, meanwhile());
    } catch {
        // The page keeps what it has; the connection that comes next tries again.
        meanwhile();
    }
}

/** The lots that are held until a person releases them; nothing where there is none. */
class HoldBoard {
    constructor(holds) {
        this.element = h("section.block", { id: "holds" });
        this.replace(holds);
    }

    replace(holds) {
        this.element.hidden = holds.length === 0;
        fill(this.element, h("h2", null, "Lots on hold"),
            h("ul", { role: "list" }, holds.map(({ lot, product, reason }) => h("li.alarm", { "data-lot": lot },
                icon("warning"), h("div", null,
                    h("p.alarm-what", null, h("a", { href: `#/lots/${lot}` }, `${product}, ${lot}`)),
                    h("p", null, reason),
                    h("p.quiet", null, "Do not label, sell or hand over until it is released."))))));
    }
}

/** The places with the newest value of each quantity, kept up to date by what comes in. */
class PlaceBoard {
    constructor(land) {
        this.land = land;
        this.slots = new Map([...land.places.keys()].map((place) => [place, h("div.measured")]));
        this.element = h("div.places", null, [...land.places].map(([place, row]) => this.card(place, row)));
    }

    card(place, row) {
        const isPlot = place.startsWith("plot/");
        const name = place.slice(place.indexOf("/") + 1);
        this.draw(place);
        return h("article.card.place", { "data-place": place },
            h("h3", null, icon(isPlot ? "field" : "stored"),
                h("a", { href: `#/${isPlot ? "plots" : "stores"}/${name}` }, row.title)),
            row.crop && h("p.quiet", null, row.crop),
            this.slots.get(place));
    }

    draw(place) {
        fill(this.slots.get(place), latestValues(this.land.places.get(place).latest, this.land.zoneOf(place)));
    }

    hear({ place, readings, at }) {
        if (!Array.isArray(readings) || !at) return;
        const good = readings.filter(({ quantity, value }) => typeof quantity === "string" && Number.isFinite(value));
        const latest = good.map(({ quantity, value, unit }) => [quantity, { value, unit, at }]);
        this.catchUp(place, Object.fromEntries(latest));
    }

    /** An older value never replaces a newer one. */
    catchUp(place, latest) {
        const row = this.land.places.get(place);
        if (!row) return;
        row.latest ??= {};
        for (const [quantity, value] of Object.entries(latest ?? {})) {
            const isNews = !(Date.parse(row.latest[quantity]?.at) > Date.parse(value.at));
            if (isNews) row.latest[quantity] = value;
        }
        this.draw(place);
    }
}

function nextSteps({ can }) {
    if (!can("grower")) return nothingYet("field", "There are no plots or stores yet.");
    return nothingYet("field", "Begin with the land: add a plot, then add a store and assign a sensor to each.",
        h("a.button", { href: "#/plots" }, "Add a plot"));
}

/** The alarms that are on, kept up to date by what comes in. */
class AlarmBoard {
    constructor(land, alarms, points, reporting) {
        this.land = land;
        this.watch = new WatchBoard(land, reporting);
        this.titles = new Map(points.map(({ point, title }) => [point, title]));
        this.notes = new Set();
        this.list = h("div.alarm-list");
        this.element = h("section.block", { id: "alarms" }, h("h2", null, "Alarms"), this.list, this.watch.element);
        this.replace(alarms, []);
    }

    /** @returns {() => any[]} the alarms heard since; ends the noting */
    noteWhatComes() {
        const notes = [];
        this.notes.add(notes);
        return () => {
            this.notes.delete(notes);
            return notes;
        };
    }

    /** @param {any[]} alarms as the server listed them @param {any[]} newer heard since it was asked */
    replace(alarms, newer) {
        this.on = new Map(alarms.filter((alarm) => !alarm.cleared).map((alarm) => [key(alarm), alarm]));
        for (const alarm of newer) this.take(alarm);
        this.draw();
    }

    /** @param {any} reporting how the sensors report now; null if it is not known */
    report(reporting) {
        this.watch.take(reporting);
        this.draw();
    }

    hear(alarm) {
        for (const notes of this.notes) notes.push(alarm);
        this.take(alarm);
        this.draw();
    }

    take(alarm) {
        if (alarm.raised) this.on.set(key(alarm), { ...alarm, raised: alarm.at });
        else this.on.delete(key(alarm));
    }

    draw() {
        fill(this.list, this.on.size > 0
            && h("ul", { role: "list" }, [...this.on.values()].map((alarm) => this.item(alarm))));
        this.watch.draw(this.on.size);
    }

    item(alarm) {
        const since = alarm.raised && h("p.quiet", null, "since ",
            when(alarm.raised, dayAndClock(alarm.raised, this.land.zoneOf(alarm.place))));
        return h("li.alarm", { "data-place": alarm.place }, icon("bell"),
            h("div", null,
                h("p.alarm-what", null, alarmSentence(alarm, this.land.title(alarm.place)), this.which(alarm)), since));
    }

    /** The measuring point, where several of one place say the same. */
    which({ point, place, quantity }) {
        const same = [...this.on.values()].filter((one) => one.place === place && one.quantity === quantity);
        return same.length > 1 && ` (${this.titles.get(point) ?? point})`;
    }
}

function key({ rule, point, place, quantity }) {
    return [rule, point, place, quantity].join(" ");
}
