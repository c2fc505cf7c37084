/**
 * The first page's summary of monitoring. It shows that all values are within their limits only together with the
 * number of sensors that reported. Otherwise it lists silent sensors, failed receivers, or missing configuration.
 */
import { get } from "../common/api.js";
import { fill, h, when } from "../common/dom.js";
import { counted, dayAndClock, number } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";

const Limits = { shownSilent: 12, pollMilliseconds: 60_000 };

/** @returns {Promise<any>} the response of `/v1/reporting`; null if there is none */
export async function loadReporting() {
    try {
        return await get("/v1/reporting");
    } catch {
        return null;
    }
}

/**
 * Polls `/v1/reporting` once a minute, as a silent sensor causes no event.
 * @param {(reporting: any) => void} update
 * @returns {() => void} stops polling
 */
export function pollReporting(update) {
    const poll = async () => {
        if (document.visibilityState === "visible") update(await loadReporting());
    };
    const timer = setInterval(poll, Limits.pollMilliseconds);
    return () => clearInterval(timer);
}

/** The summary below the alarms. */
export class ReportingBoard {
    /**
     * @param {import("./farm.js").Land} land @param {any} reporting null if unknown
     * @param {string} [place] the only place whose sensors are shown
     */
    constructor(land, reporting, place) {
        this.land = land;
        this.place = place;
        this.reporting = reporting;
        this.element = h("div", { id: "watch" });
    }

    update(reporting) {
        this.reporting = reporting;
    }

    /** @param {number} alarms the number of active alarms */
    draw(alarms) {
        if (this.place === undefined) fill(this.element, this.radios(), this.sentence(alarms), this.silent());
        else fill(this.element, alarms === 0 && h("p.calm", null, icon("check"), t`No alarm here.`), this.silentHere());
    }

    sentence(alarms) {
        const { reporting } = this;
        if (reporting === null) {
            return h("p.quiet", null, t`It is not known at the moment whether all sensors report.`);
        }
        if (reporting.sensors === 0) {
            return h("p.quiet", null, t`No sensor is assigned to a place yet, so nothing is monitored. `,
                h("a", { href: "#/sensors" }, t`Sensors`));
        }
        if (reporting.silentSensors > 0) return null;
        const minutes = reporting.withinMinutes ?? 1;
        const all = reporting.sensors === 1 ? t`The one sensor` : t`All ${counted(reporting.sensors, "sensor")}`;
        const reported = t`${all} reported within ${counted(minutes, "minute")}.`;
        if (alarms > 0) return h("p.quiet", null, reported);
        if (reporting.limits === 0) {
            return h("p.quiet", null, t`${reported} No limit is set, so no value raises an alarm. `,
                h("a", { href: "#/sensors" }, t`Limits`));
        }
        return h("p.calm", null, icon("check"), h("span", null, t`All values are within their limits. ${reported}`));
    }

    /** Returns the silent sensors of the place. */
    silentHere() {
        const silent = (this.reporting?.silent ?? []).filter(({ place }) => place === this.place);
        return silent.length > 0 && h("ul.rows", { role: "list" }, silent.map((one) => this.item(one)));
    }

    silent() {
        const { silent = [], silentSensors = 0, sensors = 0 } = this.reporting ?? {};
        if (silentSensors === 0) return null;
        const shown = silent.slice(0, Limits.shownSilent);
        const more = silentSensors - shown.length;
        return h("div.silent-sensors", null,
            h("p.alarm-what", null, t`${number(silentSensors, 0)} of ${counted(sensors, "sensor")}
                ${silentSensors === 1 ? t`is` : t`are`} silent. What happens there is not known.`),
            h("ul.rows", { role: "list" }, shown.map((one) => this.item(one))),
            more > 0 && h("p.quiet", null, t`And ${counted(more, "other")}.`));
    }

    item({ title, place, since }) {
        return h("li", { "data-place": place }, h("strong", null, title), `, ${this.land.title(place)}: `,
            since ? [t`silent since `, when(since, dayAndClock(since, this.land.zoneOf(place)))] : t`never reported`);
    }

    radios() {
        return (this.reporting?.radios ?? []).map(({ source, trouble }) => h("p.alarm-what", { "data-radio": source },
            t`The receiver ${source} does not work: ${trouble}.`));
    }
}
