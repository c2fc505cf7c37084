/** The first page: lots on hold, alarms, the latest readings of each place, and first steps on a new farm. */
import { list } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { fill, h } from "../../common/dom.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { AlarmBoard } from "../alarm-board.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { alarmSentence, asOf, latestValues } from "../parts.js";
import { loadReporting, pollReporting } from "../reporting.js";
import { createFarm } from "./create-farm.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const cached = new CachedLists();
    const [land, alarms, points, holds] = await Promise.all(
        [loadLand(cached), cached.list("/v1/alarms"), cached.list("/v1/points"), cached.list("/v1/holds")]);
    if (land.farms.length === 0) return { title: t`Your farm`, content: createFarm(context) };
    const reporting = cached.since === null ? await loadReporting() : null;
    const board = new AlarmBoard(context, land, alarms, points, reporting, {
        link: h("p", null, h("a", { href: "#/alarms" }, t`All alarms, and who is notified`)),
    });
    const places = new PlaceBoard(land);
    const holdBoard = new HoldBoard(holds);
    const signal = h("p.signal", { "data-live": "connecting" }, t`Connecting …`);
    const age = asOf(cached.since);
    const stop = listen({
        state: (isOn) => {
            if (isOn && age) age.remove();
            signal.dataset.live = isOn ? "on" : "off";
            if (isOn) catchUp(board, places, holdBoard);
            fill(signal, icon(isOn ? "check" : "offline"), isOn ? t`Live` : t`Not live: reconnecting`);
        },
        alarm: (alarm) => {
            board.apply(alarm);
            const sentence = alarmSentence(alarm, land.title(alarm.place));
            const isReporting = !alarm.raised && ["silence", "reception"].includes(alarm.quantity);
            const cleared = isReporting ? t`${land.title(alarm.place)}: it reports again` : sentence;
            context.announce(alarm.raised ? t`Alarm. ${sentence}` : t`Alarm cleared. ${cleared}`);
        },
        acknowledged: (acknowledgement) => board.acknowledge(acknowledgement),
        shelved: (shelving) => board.shelve(shelving),
        reading: (reading) => places.apply(reading),
    });
    const stopPolling = pollReporting((reporting) => board.report(reporting));
    const leave = () => {
        stop();
        stopPolling();
    };
    const title = land.farms.map((farm) => farm.title).join(", ");
    return {
        title: t`Today`, leave,
        content: [
            h("div.head-row", null, head(title), signal),
            age,
            holdBoard.element,
            board.element,
            h("section.block", null,
                h("h2", null, t`Places`), land.places.size > 0 ? places.element : nextSteps(context)),
        ],
    };
}

/** Reads what was missed while the live stream was not connected. Alarms that arrive meanwhile are newer. */
async function catchUp(board, places, holdBoard) {
    const meanwhile = board.recordNewer();
    try {
        const [land, alarms, holds, reporting] = await Promise.all(
            [loadLand(), list("/v1/alarms"), list("/v1/holds"), loadReporting()]);
        holdBoard.replace(holds);
        board.report(reporting);
        for (const [place, { latest }] of land.places) places.catchUp(place, latest);
        board.replace(alarms, meanwhile());
    } catch {
        // The page stays as it is; the next connection tries again.
        meanwhile();
    }
}

/** The lots on hold; hidden if there are none. */
class HoldBoard {
    constructor(holds) {
        this.element = h("section.block", { id: "holds" });
        this.replace(holds);
    }

    replace(holds) {
        this.element.hidden = holds.length === 0;
        fill(this.element, h("h2", null, t`Lots on hold`),
            h("ul", { role: "list" }, holds.map(({ lot, product, reason }) => h("li.alarm", { "data-lot": lot },
                icon("warning"), h("div", null,
                    h("p.alarm-what", null, h("a", { href: `#/lots/${lot}` }, `${product}, ${lot}`)),
                    h("p", null, reason),
                    h("p.quiet", null, t`Do not label, sell or hand over until it is released.`))))));
    }
}

/** The places with the latest value of each quantity, updated by the live stream. */
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

    apply({ place, readings, at }) {
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
    if (!can("grower")) return nothingYet("field", t`There are no plots or stores yet.`);
    return nothingYet("field", t`Begin with the land: add a plot, then add a store and assign a sensor to each.`,
        h("a.button", { href: "#/plots" }, t`Add a plot`));
}
