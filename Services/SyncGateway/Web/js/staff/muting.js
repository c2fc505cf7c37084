/** Muting an alarm: until a time, no notifications of it are sent, even if it is raised again. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action } from "../common/form.js";
import { counted, dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { alarmSentence } from "./parts.js";

/** Choices of the duration, in minutes. */
const durations = [[60, t`For an hour`], [240, t`For 4 hours`], [1440, t`For a day`]];

/** @param {AlarmResponse} alarm of the list @returns {boolean} whether its notifications are suspended now */
export function isMuted({ shelved }) {
    return shelved !== undefined && Date.parse(shelved.until) > Date.now();
}

/**
 * Returns until when an alarm is muted, and the buttons that mute it or end that.
 * @param {AlarmResponse} alarm @param {any} context @param {any} land
 * @param {(shelving: {rule: string, point: string, until: string, by: string}) => void} done
 */
export function muting(alarm, context, land, done) {
    const canMute = context.can("grower");
    if (isMuted(alarm)) {
        const { until, by } = alarm.shelved;
        const who = by === `person/${context.me.person}` ? "you" : t`a colleague`;
        return h("div.muting", null,
            h("p.quiet", null, t`Muted by ${who} until `,
                when(until, dayAndClock(until, land.zoneOf(alarm.place))), "."),
            canMute && mute(alarm, 0, t`Notify again`, context, land, done));
    }
    if (!canMute) return null;
    return h("details.fold.muting", null, h("summary", null, t`Mute`),
        h("div.form-end", null,
            durations.map(([minutes, label]) => mute(alarm, Number(minutes), String(label), context, land, done))));
}

function mute(alarm, minutes, label, context, land, done) {
    const { rule, point, place, raised } = alarm;
    const button = action({
        name: `mute ${rule} ${point} ${raised} ${minutes}`, label, kind: "button-quiet",
        send: (key) => command("PUT", `/v1/alarms/${rule}/${point}/shelving`, { minutes }, key),
        done: ({ until }) => {
            context.announce(minutes === 0 ? t`People are notified of this alarm again.`
                : t`Muted: no notifications of this alarm for ${duration(minutes)}.`);
            done({ rule, point, until, by: `person/${context.me.person}` });
        },
    });
    const sentence = alarmSentence(alarm, land.title(place));
    button.querySelector("button")?.setAttribute("aria-label", `${minutes > 0 ? t`Mute ` : ""}${label}: ${sentence}`);
    return button;
}

function duration(minutes) {
    return minutes < 1440 ? counted(minutes / 60, "hour") : counted(minutes / 1440, "day");
}
