/**
 * What the first page says of alarms: that all is well only together with how many sensors reported and when; otherwise
 * which sensors are silent, which radios do not work, or what is missing for anything to be watched.
 */
import { get } from "../common/api.js";
import { fill, h, when } from "../common/dom.js";
import { counted, dayAndClock, number } from "../common/format.js";
import { icon } from "../common/icons.js";

const Limits = { shownSilent: 12, askMilliseconds: 60_000 };

/** @returns {Promise<any>} how the sensors report now; null where the server does not answer */
export async function loadReporting() {
    try {
        return await get("/v1/reporting");
    } catch {
        return null;
    }
}

/**
 * Asks about once a minute how the sensors report: silence sends no message.
 * @param {(reporting: any) => void} take
 * @returns {() => void} ends it
 */
export function watchReporting(take) {
    const ask = async () => {
        if (document.visibilityState === "visible") take(await loadReporting());
    };
    const timer = setInterval(ask, Limits.askMilliseconds);
    return () => clearInterval(timer);
}

/** What stands below the alarms, or in their place. */
export class WatchBoard {
    /** @param {import("./farm.js").Land} land @param {any} reporting null if it is not known */
    constructor(land, reporting) {
        this.land = land;
        this.reporting = reporting;
        this.element = h("div", { id: "watch" });
    }

    take(reporting) {
        this.reporting = reporting;
    }

    /** @param {number} alarms how many are on */
    draw(alarms) {
        fill(this.element, this.radios(), this.sentence(alarms), this.silent());
    }

    sentence(alarms) {
        const { reporting } = this;
        if (reporting === null) {
            return h("p.quiet", null, "It is not known at the moment whether all sensors report.");
        }
        if (reporting.sensors === 0) {
            return h("p.quiet", null, "No sensor is assigned to a place yet, so nothing is monitored. ",
                h("a", { href: "#/sensors" }, "Sensors"));
        }
        if (reporting.silentSensors > 0) return null;
        const minutes = reporting.withinMinutes ?? 1;
        const all = reporting.sensors === 1 ? "The one sensor" : `All ${counted(reporting.sensors, "sensor")}`;
        const heard = `${all} reported within ${counted(minutes, "minute")}.`;
        if (alarms > 0) return h("p.quiet", null, heard);
        if (reporting.limits === 0) {
            return h("p.quiet", null, `${heard} No limit is set, so no value raises an alarm. `,
                h("a", { href: "#/sensors" }, "Limits"));
        }
        return h("p.calm", null, icon("check"), h("span", null, `All values are within their limits. ${heard}`));
    }

    silent() {
        const { silent = [], silentSensors = 0, sensors = 0 } = this.reporting ?? {};
        if (silentSensors === 0) return null;
        const shown = silent.slice(0, Limits.shownSilent);
        const more = silentSensors - shown.length;
        return h("div.silent-sensors", null,
            h("p.alarm-what", null, `${number(silentSensors, 0)} of ${counted(sensors, "sensor")}`
                + ` ${silentSensors === 1 ? "is" : "are"} silent. What happens there is not known.`),
            h("ul.rows", { role: "list" }, shown.map((one) => this.item(one))),
            more > 0 && h("p.quiet", null, `And ${counted(more, "other")}.`));
    }

    item({ title, place, since }) {
        return h("li", { "data-place": place }, h("strong", null, title), `, ${this.land.title(place)}: `,
            since ? ["silent since ", when(since, dayAndClock(since, this.land.zoneOf(place)))] : "never reported");
    }

    radios() {
        return (this.reporting?.radios ?? []).map(({ source, trouble }) => h("p.alarm-what", { "data-radio": source },
            `The receiver ${source} does not work: ${trouble}.`));
    }
}
