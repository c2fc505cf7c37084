/** The timeline of a lot: activities on the plot, with corrections, and custody. */
import { h, when } from "../common/dom.js";
import { activityDone, counted, day, dayAndClock, daysBetween, daysFromTo, number, weight } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";

/** From this number on, consecutive activities of one kind are shown as one entry. */
const foldFrom = 4;
/** An activity that was recorded this many days later has a note. */
const lateDays = 2;

const steps = {
    harvested: (step) => [t`Harvested`, [step.grams && weight(step.grams), step.place && t`from ${step.place}`]],
    corrected: (step) => [t`Harvest corrected`, [[
        step.grams && t`It was ${weight(step.grams)} in all.`, step.reason && t`Reason: ${step.reason}`,
    ].filter(Boolean).join(" ")]],
    split: (step) => [t`Split`, [step.grams && t`${weight(step.grams)} became a separate lot`]],
    packed: (step) => [t`Packed`, [step.boxes && counted(step.boxes, "box", "boxes"),
        step.grams && weight(step.grams)]],
    stored: (step) => [t`Moved to store`, [step.place]],
    "handed-over": (step) => [t`Left the farm`, [step.to && t`to ${step.to}`]],
    held: (step) => [t`Put on hold by the farm`, [step.reason]],
    released: (step) => [t`Released by the farm`, [step.reason]],
    "hold-lifted": (step) => [t`Hold lifted`, [step.reason]],
    recalled: (step) => [t`Recalled: do not eat it`, [step.reason]],
};

/** Icons of steps whose icon has another name. */
const marks = {
    recalled: "warning", held: "warning", released: "check", "hold-lifted": "check", corrected: "pencil",
};

/** Returns the timeline. @param {import("../verify/passport.js").Story} story @returns {HTMLElement} */
export function timeline(story) {
    const zone = story.farm.zone;
    const moments = [
        ...story.activities.map((activity) => ({ at: valid(activity).happened, activity })),
        ...story.custody.map((step) => ({ at: step.at, step })),
    ].sort((left, right) => left.at - right.at);
    if (moments.length === 0) return h("p.quiet", null, t`Nothing has been recorded yet.`);
    return h("ol.timeline", { role: "list" }, grouped(moments).map((group) => group.length < foldFrom
        ? group.map((moment) => entry(moment, story, zone))
        : folded(group, story, zone)));
}

/** Returns the current version of an activity. */
function valid(activity) {
    return activity.correctedTo ?? activity;
}

/** Groups consecutive activities of one kind without corrections. */
function grouped(moments) {
    const groups = [];
    for (const moment of moments) {
        const kind = moment.activity && !moment.activity.correctedTo ? moment.activity.kind : null;
        const last = groups.at(-1);
        if (kind !== null && last?.kind === kind) last.push(moment);
        else groups.push(Object.assign([moment], { kind }));
    }
    return groups;
}

function folded(group, story, zone) {
    const { kind } = group;
    const first = group[0].at;
    const last = group.at(-1).at;
    const amount = sum(group.map(({ activity }) => activity.details), story.omitted.activities === 0);
    return h("li.moment.moment-folded", null,
        h("span.moment-mark", null, icon(kind)),
        h("div.moment-body", null,
            h("p.moment-when", null, daysFromTo(first, last, zone)),
            h("h3.moment-what", null, `${activityDone(kind)} ${counted(group.length, "time")}`),
            amount && h("p", null, amount),
            h("details.moment-more", null, h("summary", null, t`Each of the ${group.length}`),
                h("ul", { role: "list" }, group.map(({ at, activity }) => h("li", null,
                    when(at, dayAndClock(at, zone)), details(activity.details, " · ")))))));
}

/** Returns the total of the amounts if all have the same substance and unit. */
function sum(all, isWhole) {
    const [{ unit, substance }] = all;
    const isAlike = unit !== null && all.every((one) => one.unit === unit && one.substance === substance && one.amount);
    if (!isAlike) return null;
    const total = number(all.reduce((so, one) => so + one.amount, 0));
    return `${total}\u00a0${unit}${isWhole ? t` in all` : ""}${substance ? `, ${substance}` : ""}`;
}

function entry({ at, activity, step }, story, zone) {
    const body = activity ? activityBody(activity, story, zone) : stepBody(step);
    const name = activity ? valid(activity).kind : step.what;
    const kind = activity?.correctedTo ? ".moment-corrected" : step ? ".moment-step" : "";
    return h(`li.moment${kind}`, { "data-kind": name },
        h("span.moment-mark", null, icon(marks[name] ?? name)),
        h("div.moment-body", null, h("p.moment-when", null, when(at, dayAndClock(at, zone))), body));
}

function stepBody(step) {
    const [title, facts] = steps[step.what]?.(step) ?? [step.what, [step.place, step.to]];
    const text = facts.filter(Boolean).join(", ");
    return [h("h3.moment-what", null, title), text && h("p", null, text)];
}

function activityBody(activity, story, zone) {
    const right = valid(activity);
    return [
        h("h3.moment-what", null, activityDone(right.kind)),
        paragraph(details(right.details)),
        waiting(right, story, zone),
        late(activity, zone),
        activity.correctedTo && correction(activity, zone),
    ];
}

function correction(activity, zone) {
    const right = activity.correctedTo;
    const first = [activityDone(activity.kind), ...details(activity.details)].join(", ");
    return h("div.correction", null,
        h("p.correction-tag", null, icon("pencil"), h("span", null, t`Corrected`, right.recorded && [
            t` on `, when(right.recorded, day(right.recorded, zone))])),
        h("p", null, t`First recorded as: `, h("del", null, `${first}, ${dayAndClock(activity.happened, zone)}`)),
        right.reason && h("p", null, t`Reason: ${right.reason}`));
}

/** Returns the note about the waiting period before harvest, and whether it was observed. */
function waiting(right, story, zone) {
    const days = right.details.waitingDays;
    if (!days || story.harvested === null) return null;
    const passed = daysBetween(right.happened, story.harvested, zone);
    const isObserved = passed >= days;
    return h(`p.waiting${isObserved ? "" : ".waiting-broken"}`, null, icon(isObserved ? "clock" : "warning"),
        t`${counted(days, "day")} to wait before harvest; harvested ${counted(passed, "day")} later`
            + (isObserved ? "" : t`, which is too early`));
}

function late({ happened, recorded }, zone) {
    if (recorded === null || daysBetween(happened, recorded, zone) < lateDays) return null;
    return h("p.quiet", null, t`Recorded on `, when(recorded, day(recorded, zone)));
}

/** @returns {string[]|string} substance and amount; one string if `before` is given */
function details({ substance, amount, unit }, before = null) {
    const much = amount === null ? null : `${number(amount)}${unit ? `\u00a0${unit}` : ""}`;
    const parts = [substance, much].filter(Boolean);
    return before === null ? parts : parts.map((part) => before + part).join("");
}

function paragraph(parts) {
    return parts.length > 0 && h("p", null, parts.join(", "));
}
