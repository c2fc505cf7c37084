/** Who is notified of alarms: the steps, the weeks in which people take turns, and the forms that set them. */
import { command } from "../common/api.js";
import { h } from "../common/dom.js";
import { form } from "../common/form.js";
import { counted, dayAndClock, daysFromTo } from "../common/format.js";
import { t } from "../common/language.js";
import { nothingYet } from "../common/parts.js";
import { toLocal } from "../common/zones.js";

/** The name of the control of the person on call; people have UUIDs. */
const turn = "on-call";
/** The number of weeks that can be given to people at once. */
const turnsAtLeast = 4;

/** Choices of the time after which a person is notified. */
const delays = [["never", t`Not notified`], ["0", t`At once`], ["5", t`After 5 minutes`], ["15", t`After 15 minutes`],
    ["30", t`After 30 minutes`], ["60", t`After an hour`]];
const repeats = [["never", t`Do not repeat`], ["15", t`Every 15 minutes`], ["30", t`Every 30 minutes`],
    ["60", t`Every hour`]];

/**
 * @param {import("./main.js").Context} context @param {any} onCall the response of `/v1/on-call`
 * @param {any[]} accounts those of the farm; none if the caller may not read them
 * @param {string} zone
 */
export function onCallSection(context, onCall, accounts, zone) {
    const staff = accounts.filter(({ role }) => role === "grower" || role === "administrator");
    const isAdministrator = context.can("administrator");
    return h("div", null, notified(onCall, accounts), upcoming(context, onCall, accounts),
        h("p.quiet", null, t`By e-mail if the farm has a mail server, by webhooks, and on devices that each person
            adds on the page `,
            h("a", { href: "#/account" }, t`Your account`), "."),
        isAdministrator && h("div.card.block", null, setOnCall(context, onCall, staff, zone)),
        isAdministrator && h("div.folds.block", null, h("details.fold.card", { id: "weeks" },
            h("summary", null, t`Weeks in which people take turns`),
            setWeeks(context, onCall, staff, zone),
            onCall.upcoming && swapWeek(context, onCall, staff))));
}

/** Returns the next weeks with the person of each. */
function upcoming(context, { upcoming: weeks = [], weeks: set }, accounts) {
    if (weeks.length === 0) return null;
    const name = nameOf(context, accounts);
    const week = ({ begins, ends, person, isSwapped }) => h("li", null,
        h("strong", null, name(person)), ` ${daysFromTo(begins, ends, set.zone)}`,
        isSwapped && h("span.quiet", null, t` (instead of the planned person)`));
    return h("ul.rows", { id: "on-call-weeks", role: "list" }, weeks.slice(0, 4).map(week));
}

/** Returns a function that names a person as far as the reader may know. */
function nameOf(context, accounts) {
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    return (person) => names.get(person) ?? (person === context.me.person ? t`You` : t`A colleague`);
}

/** The form in which each week is given to a person. */
function setWeeks(context, onCall, staff, zone) {
    const people = onCall.weeks?.people ?? [];
    const turns = Array.from({ length: Math.max(turnsAtLeast, people.length + 1) }, (_, index) => `turn${index + 1}`);
    const options = [["", t`Not given`], ...staff.map(({ person, name }) => [person, name])];
    return form({
        name: "set-on-call-weeks", title: t`Take turns`, submit: t`Save weeks`,
        lead: t`Each person is on call for a week; after the last one the first is on call again.`,
        fields: [
            { name: "begins", label: t`The first week begins`, type: "datetime", zone: onCall.weeks?.zone ?? zone,
                required: true,
                value: toLocal(onCall.weeks?.begins ?? Date.now(), onCall.weeks?.zone ?? zone) },
            ...turns.map((name, index) => ({
                name, label: t`Week ${index + 1}`, type: "select", value: people[index] ?? "", options,
            })),
        ],
        send: ({ begins, ...given }, key) => {
            const order = turns.map((name) => given[name]).filter(Boolean);
            const weeks = order.length > 0
                ? { begins, zone: onCall.weeks?.zone ?? zone, people: order, swaps: onCall.weeks?.swaps ?? [] } : null;
            return command("PUT", "/v1/on-call", setting(onCall, weeks), key);
        },
        done: () => {
            context.announce(t`Saved who is on call in which week.`);
            return context.refresh();
        },
    });
}

/** The form that gives one week to another person. */
function swapWeek(context, onCall, staff) {
    const { upcoming: weeks, weeks: { zone, swaps = [] } } = onCall;
    return form({
        name: "swap-on-call", title: t`Swap a week`, submit: t`Swap`,
        fields: [
            { name: "week", label: t`Week`, type: "select", required: true,
                options: weeks.map(({ begins, ends }) => [begins, daysFromTo(begins, ends, zone)]) },
            { name: "person", label: t`Who is on call`, type: "select", required: true,
                options: staff.map(({ person, name }) => [person, name]) },
        ],
        send: ({ week, person }, key) => {
            // Past swaps are not needed any more.
            const others = swaps.filter((one) => one.week !== week
                && Date.parse(one.week) >= Date.parse(weeks[0].begins));
            return command("PUT", "/v1/on-call",
                setting(onCall, { ...onCall.weeks, swaps: [...others, { week, person }] }), key);
        },
        done: (_answer, { week }) => {
            context.announce(t`The week from ${dayAndClock(week, zone)} was swapped.`);
            return context.refresh();
        },
    });
}

/**
 * Returns the body of the command that replaces the weeks. The person on call is notified at once unless a step says
 * otherwise.
 */
function setting({ steps, repeatMinutes, quiet }, weeks) {
    const others = steps.map(({ onCall, ...step }) => (weeks && onCall ? { ...step, onCall } : step))
        .filter(({ people, onCall }) => people.length > 0 || onCall);
    const isUsed = others.some(({ onCall }) => onCall);
    const [first, ...later] = others[0]?.afterMinutes === 0 ? others : [{ afterMinutes: 0, people: [] }, ...others];
    const all = weeks && !isUsed ? [{ ...first, onCall: true }, ...later] : others;
    return { steps: all, ...(repeatMinutes ? { repeatMinutes } : {}), ...(quiet ? { quiet } : {}),
        ...(weeks ? { weeks } : {}) };
}

/** Returns who is notified now, in words. */
function notified({ steps, repeatMinutes, quiet }, accounts) {
    if (steps.length === 0) return nothingYet("bell", t`Nobody is notified of alarms: they are shown on pages only.`);
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    const named = (people) => (people.every((person) => names.has(person))
        ? people.map((person) => names.get(person)).join(", ") : counted(people.length, "person", "people"));
    const who = ({ people, onCall }) => [people.length > 0 && named(people), onCall && t`the person on call`]
        .filter(Boolean).join(", ").replace(/^t/u, "T");
    const isGone = accounts.length > 0 && steps.some(({ people }) => people.some((person) => !names.has(person)));
    return h("div", null,
        h("ul.rows", { role: "list" }, steps.map((step) => h("li", null,
            h("strong", null, who(step)),
            step.afterMinutes === 0 ? t` at once` : t` after ${counted(step.afterMinutes, "minute")}, if nobody has
                acknowledged`))),
        isGone && h("p.note", null, t`Some of them no longer have an account and are not reached. Save the list
            again.`),
        repeatMinutes && h("p.quiet", null, t`The last ones again every ${counted(repeatMinutes, "minute")}.`),
        quiet && h("p.quiet", null, t`From ${quiet.from} to ${quiet.to} only of alarms that cannot wait.`));
}

/** The form in which each person of the staff has a delay. */
function setOnCall(context, { steps, repeatMinutes, quiet, weeks }, staff, zone) {
    const weekly = weeks ? [{ person: turn, name: "The person on call that week" }] : [];
    const delayOf = (person) => steps.find(({ people, onCall }) =>
        (person === turn ? onCall : people.includes(person)))?.afterMinutes;
    return form({
        name: "set-on-call", title: t`Set who is notified`, submit: t`Save`,
        lead: t`Later people are notified only while nobody has acknowledged the alarm.`,
        fields: [
            ...[...weekly, ...staff].map(({ person, name }) => ({
                name: person, label: name, type: "select", required: true,
                value: String(delayOf(person) ?? "never"),
                options: choices(delays, delayOf(person), t`After`),
            })),
            { name: "repeatMinutes", label: t`Until somebody acknowledges`, type: "select", required: true,
                value: String(repeatMinutes ?? "never"),
                options: choices(repeats, repeatMinutes, t`Every`) },
            { name: "from", label: t`Quiet from`, type: "time", value: quiet?.from,
                hint: t`In these hours alarms that can wait are not sent: low batteries, and limits for which this is
                    chosen.` },
            { name: "to", label: t`Quiet until`, type: "time", value: quiet?.to },
        ],
        send: ({ repeatMinutes: repeated, from, to, ...delayed }, key) => command("PUT", "/v1/on-call", {
            steps: stepsOf(delayed), ...(repeated !== "never" ? { repeatMinutes: Number(repeated) } : {}),
            ...(from && to ? { quiet: { from, to, zone: quiet?.zone ?? zone } } : {}), ...(weeks ? { weeks } : {}),
        }, key),
        done: () => {
            context.announce(t`Saved who is notified.`);
            return context.refresh();
        },
        prepare: (controls) => {
            const from = /** @type {HTMLInputElement} */ (controls.from);
            const to = /** @type {HTMLInputElement} */ (controls.to);
            const requireBoth = () => {
                from.required = to.value !== "";
                to.required = from.value !== "";
            };
            for (const control of [from, to]) control.addEventListener("input", requireBoth);
            requireBoth();
        },
    });
}

/** Adds the current value to the choices if it is none of them. */
function choices(usual, value, before) {
    if (value === undefined || usual.some(([choice]) => choice === String(value))) return usual;
    return [...usual, [String(value), `${before} ${counted(value, "minute")}`]];
}

/** Groups people by their delays. @param {Record<string, string|undefined>} delayed */
function stepsOf(delayed) {
    const steps = new Map();
    for (const [person, delay] of Object.entries(delayed)) {
        if (delay === undefined || delay === "never") continue;
        steps.set(Number(delay), [...(steps.get(Number(delay)) ?? []), person]);
    }
    return [...steps].sort(([one], [other]) => one - other)
        .map(([afterMinutes, people]) => ({
            afterMinutes, people: people.filter((person) => person !== turn),
            ...(people.includes(turn) ? { onCall: true } : {}),
        }));
}
