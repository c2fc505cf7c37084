/** The list of active alarms, which several pages show. */
import { command, list } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action } from "../common/form.js";
import { dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { isMuted, muting } from "./muting.js";
import { alarmSentence } from "./parts.js";
import { ReportingBoard } from "./reporting.js";

/** The active alarms, updated by the live stream; one tap acknowledges an alarm, two mute it. */
export class AlarmBoard {
    /**
     * @param {import("./main.js").Context} context @param {any} land
     * @param {any[]} alarms @param {any[]} points @param {any} reporting null if it is not known
     * @param {{title?: string, link?: any, place?: string}} options the heading, a link below the list, and the only
     *     place whose alarms are shown
     */
    constructor(context, land, alarms, points, reporting, { title = t`Alarms`, link = null, place } = {}) {
        this.context = context;
        this.land = land;
        this.place = place;
        this.reportingBoard = new ReportingBoard(land, reporting, place);
        this.titles = new Map(points.map(({ point, title }) => [point, title]));
        this.notes = new Set();
        this.list = h("ul", { role: "list" });
        /** The shown items by their alarms; an unchanged one stays, so that focus and messages stay, too. */
        this.items = new Map();
        this.element = h("section.block", { id: "alarms" },
            h("h2", null, title), h("div.alarm-list", null, this.list), this.reportingBoard.element, link);
        this.replace(alarms, []);
    }

    /** Starts recording alarms of the live stream. @returns {() => any[]} stops and returns the recorded alarms */
    recordNewer() {
        const notes = [];
        this.notes.add(notes);
        return () => {
            this.notes.delete(notes);
            return notes;
        };
    }

    /** @param {any[]} alarms the server's list @param {any[]} newer alarms of the live stream since the request */
    replace(alarms, newer) {
        this.on = new Map(alarms.filter((alarm) => !alarm.cleared && this.isShown(alarm))
            .map((alarm) => [key(alarm), alarm]));
        for (const alarm of newer) this.take(alarm);
        this.draw();
    }

    /** Reads what was missed while the live stream was not connected. */
    async catchUp() {
        const newer = this.recordNewer();
        const alarms = await list("/v1/alarms").catch(() => null);
        const meanwhile = newer();
        if (alarms !== null) this.replace(alarms, meanwhile);
        return alarms;
    }

    /** @param {any} reporting the response of `/v1/reporting`; null if there was none */
    report(reporting) {
        this.reportingBoard.update(reporting);
        this.reportingBoard.draw(this.on.size);
    }

    apply(alarm) {
        for (const notes of this.notes) notes.push(alarm);
        this.take(alarm);
        this.draw();
        if (alarm.raised) this.loadHandling();
    }

    /** Loads who acknowledged or muted: an alarm that is raised again may belong to an incident that was before. */
    async loadHandling() {
        const alarms = await list("/v1/alarms").catch(() => []);
        for (const alarm of alarms) {
            const { rule, point, acknowledged, acknowledgedBy: by, comment, shelved } = alarm;
            if (shelved && !alarm.cleared) this.shelve({ rule, point, ...shelved });
            if (acknowledged && !alarm.cleared) this.acknowledge({ rule, point, comment, by, at: acknowledged });
        }
    }

    isShown({ place }) {
        return this.place === undefined || this.place === place;
    }

    take(alarm) {
        if (alarm.until) this.mute(alarm);
        else if (alarm.by) this.takeCharge(alarm);
        else if (alarm.raised && this.isShown(alarm)) this.on.set(key(alarm), { ...alarm, raised: alarm.at });
        else this.on.delete(key(alarm));
    }

    /** @param {any} taken an acknowledgement of the live stream */
    acknowledge(taken) {
        for (const notes of this.notes) notes.push(taken);
        this.takeCharge(taken);
        this.draw();
    }

    takeCharge({ rule, point, comment, by, at }) {
        for (const alarm of this.on.values()) {
            if (alarm.rule !== rule || alarm.point !== point) continue;
            Object.assign(alarm, { acknowledged: at, acknowledgedBy: by, comment });
        }
    }

    /** @param {any} shelving an alarm that was muted, from the live stream; or the end of that */
    shelve(shelving) {
        for (const notes of this.notes) notes.push(shelving);
        this.mute(shelving);
        this.draw();
    }

    mute({ rule, point, until, by, comment }) {
        for (const alarm of this.on.values()) {
            if (alarm.rule === rule && alarm.point === point) alarm.shelved = { until, by, comment };
        }
    }

    draw() {
        clearTimeout(this.redrawing);
        const ends = [...this.on.values()].filter(isMuted).map(({ shelved }) => Date.parse(shelved.until));
        const next = Math.min(...ends) - Date.now();
        // Longer delays overflow, and then pass at once.
        if (next < 2 ** 31 - 1) this.redrawing = setTimeout(() => this.draw(), next + 1);
        for (const [name, { element }] of this.items) {
            if (this.on.has(name)) continue;
            element.remove();
            this.items.delete(name);
        }
        for (const [name, alarm] of this.on) this.drawItem(name, alarm);
        this.reportingBoard.draw(this.on.size);
    }

    drawItem(name, alarm) {
        const contents = JSON.stringify([alarm, this.which(alarm), isMuted(alarm)]);
        const shown = this.items.get(name);
        if (shown?.contents === contents) return;
        const element = this.item(alarm);
        this.items.set(name, { contents, element });
        if (!shown) {
            this.list.append(element);
            return;
        }
        const hadFocus = shown.element.contains(document.activeElement);
        shown.element.replaceWith(element);
        if (hadFocus) element.querySelector(".alarm-what").focus();
    }

    item(alarm) {
        const since = alarm.raised && h("p.quiet", null, t`since `,
            when(alarm.raised, dayAndClock(alarm.raised, this.land.zoneOf(alarm.place))));
        return h("li.alarm", { "data-place": alarm.place }, icon("bell"),
            h("div", null,
                h("p.alarm-what", { tabindex: "-1" },
                    alarmSentence(alarm, this.land.title(alarm.place)), this.which(alarm)),
                since, this.handling(alarm),
                !alarm.acknowledged && muting(alarm, this.context, this.land, (shelving) => this.shelve(shelving))));
    }

    /** Returns who acknowledged an alarm, or the button that does. */
    handling(alarm) {
        if (alarm.acknowledged) return h("p.quiet", null, acknowledgement(alarm, this.context, this.land));
        if (!this.context.can("grower")) return null;
        const { rule, point } = alarm;
        // An alarm of the live stream has the time of its event, an alarm of a list that of its raising: the same.
        const body = alarm.raised ? { raised: alarm.raised } : {};
        const button = action({
            name: `acknowledge ${rule} ${point} ${alarm.raised}`, label: t`Acknowledge`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/alarms/${rule}/${point}/acknowledgements`, body, key),
            done: () => {
                this.context.announce(t`Acknowledged: nobody else is notified of this alarm.`);
                this.acknowledge({
                    rule, point, comment: undefined, by: `person/${this.context.me.person}`,
                    at: new Date().toISOString(),
                });
            },
        });
        const sentence = alarmSentence(alarm, this.land.title(alarm.place));
        button.querySelector("button")?.setAttribute("aria-label", `Acknowledge: ${sentence}`);
        return button;
    }

    /** Returns the measuring point's title if a place has several alarms of one quantity. */
    which({ point, place, quantity }) {
        const same = [...this.on.values()].filter((one) => one.place === place && one.quantity === quantity);
        return same.length > 1 && ` (${this.titles.get(point) ?? point})`;
    }
}

/**
 * Returns `Acknowledged by you, 12:03: on my way`.
 * @param {AlarmResponse} alarm @param {any} context @param {any} land
 */
export function acknowledgement({ acknowledged, acknowledgedBy, comment, place }, context, land) {
    const who = acknowledgedBy === `person/${context.me.person}` ? t`by you` : t`by a colleague`;
    return [t`Acknowledged ${who}, `, when(acknowledged, dayAndClock(acknowledged, land.zoneOf(place))),
        comment && `: ${comment}`];
}

function key({ rule, point, place, quantity }) {
    return [rule, point, place, quantity].join(" ");
}
