/** The page of alarms: what is on, who is notified, and the last alarm of each limit. */
import { command, get, list } from "../../common/api.js";
import { fill, h, when } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, dayAndClock } from "../../common/format.js";
import { head, nothingYet } from "../../common/parts.js";
import { AlarmBoard } from "../alarm-board.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { notificationList } from "../notifications.js";
import { alarmSentence } from "../parts.js";
import { loadReporting, pollReporting } from "../reporting.js";
import { webhookSection } from "../webhooks.js";

/** Choices of the time after which a person is notified. */
const delays = [["never", "Not notified"], ["0", "At once"], ["5", "After 5 minutes"], ["15", "After 15 minutes"],
    ["30", "After 30 minutes"], ["60", "After an hour"]];
const repeats = [["never", "Do not repeat"], ["15", "Every 15 minutes"], ["30", "Every 30 minutes"],
    ["60", "Every hour"]];

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const isAdministrator = context.can("administrator");
    const [land, alarms, points, onCall, accounts, reporting, sent, webhooks] = await Promise.all([loadLand(),
        list("/v1/alarms"), list("/v1/points"), get("/v1/on-call"), isAdministrator ? list("/v1/accounts") : [],
        loadReporting(), list("/v1/notifications"), isAdministrator ? list("/v1/webhooks") : []]);
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    if (!isAdministrator) names.set(context.me.person, "You");
    const board = new AlarmBoard(context, land, alarms, points, reporting, { title: "Now" });
    const last = h("div", null, lastAlarms(alarms, points, land));
    const catchUp = async () => {
        const newer = await board.catchUp();
        if (newer) fill(last, lastAlarms(newer, points, land));
    };
    const stop = listen({
        state: (isOn) => { if (isOn) catchUp(); },
        reading: () => {},
        alarm: (alarm) => {
            board.apply(alarm);
            catchUp();
        },
        acknowledged: (taken) => board.acknowledge(taken),
        shelved: (shelving) => board.shelve(shelving),
    });
    const stopPolling = pollReporting((newer) => board.report(newer));
    const leave = () => {
        stop();
        stopPolling();
    };
    return {
        title: "Alarms", leave,
        content: [
            head("Alarms", "What is wrong now, who is notified, and what was."),
            board.element,
            h("section.block", { id: "on-call" }, h("h2", null, "Who is notified"), notified(onCall, accounts),
                h("p.quiet", null, "By e-mail if the farm has a mail server, by webhooks, and on devices that each "
                    + "person adds on the page ",
                    h("a", { href: "#/account" }, "Your account"), "."),
                isAdministrator && h("div.card.block", null, setOnCall(context, onCall, accounts, land.zone())),
                isAdministrator && webhookSection(context, webhooks, accounts, land.zone())),
            h("section.block", { id: "notifications" }, h("h2", null, "Notifications"),
                notificationList(sent, names, land)),
            h("section.block", null, h("h2", null, "Last alarms"), last),
            h("p.block", null, h("a", { href: "#/sensors" }, "Limits that raise alarms")),
        ],
    };
}

function notified({ steps, repeatMinutes, quiet }, accounts) {
    if (steps.length === 0) return nothingYet("bell", "Nobody is notified of alarms: they are shown on pages only.");
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    const who = (people) => (people.every((person) => names.has(person))
        ? people.map((person) => names.get(person)).join(", ") : counted(people.length, "person", "people"));
    const isGone = accounts.length > 0 && steps.some(({ people }) => people.some((person) => !names.has(person)));
    return h("div", null,
        h("ul.rows", { role: "list" }, steps.map(({ afterMinutes, people }) => h("li", null,
            h("strong", null, who(people)),
            afterMinutes === 0 ? " at once" : ` after ${counted(afterMinutes, "minute")}, if nobody has `
                + "acknowledged"))),
        isGone && h("p.note", null, "Some of them no longer have an account and are not reached. Save the list anew."),
        repeatMinutes && h("p.quiet", null, `The last ones again every ${counted(repeatMinutes, "minute")}.`),
        quiet && h("p.quiet", null, `From ${quiet.from} to ${quiet.to} only of alarms that cannot wait.`));
}

/** The form in which each person of the staff has a delay. */
function setOnCall(context, { steps, repeatMinutes, quiet }, accounts, zone) {
    const staff = accounts.filter(({ role }) => role === "grower" || role === "administrator");
    const delayOf = (person) => steps.find(({ people }) => people.includes(person))?.afterMinutes;
    return form({
        name: "set-on-call", title: "Set who is notified", submit: "Save",
        lead: "Later people are notified only while nobody has acknowledged the alarm.",
        fields: [
            ...staff.map(({ person, name }) => ({
                name: person, label: name, type: "select", required: true,
                value: String(delayOf(person) ?? "never"),
                options: choices(delays, delayOf(person), "After", "minutes"),
            })),
            { name: "repeatMinutes", label: "Until somebody acknowledges", type: "select", required: true,
                value: String(repeatMinutes ?? "never"), options: choices(repeats, repeatMinutes, "Every", "minutes") },
            { name: "from", label: "Quiet from", type: "time", value: quiet?.from,
                hint: "In these hours alarms that can wait are not sent: low batteries, and limits for which this is "
                    + "chosen." },
            { name: "to", label: "Quiet until", type: "time", value: quiet?.to },
        ],
        send: ({ repeatMinutes: repeated, from, to, ...delayed }, key) => command("PUT", "/v1/on-call", {
            steps: stepsOf(delayed), ...(repeated !== "never" ? { repeatMinutes: Number(repeated) } : {}),
            ...(from && to ? { quiet: { from, to, zone: quiet?.zone ?? zone } } : {}),
        }, key),
        done: () => {
            context.announce("Saved who is notified.");
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
function choices(usual, value, before, unit) {
    if (value === undefined || usual.some(([choice]) => choice === String(value))) return usual;
    return [...usual, [String(value), `${before} ${value} ${unit}`]];
}

/** Groups people by their delays. @param {Record<string, string|undefined>} delayed */
function stepsOf(delayed) {
    const steps = new Map();
    for (const [person, delay] of Object.entries(delayed)) {
        if (delay === undefined || delay === "never") continue;
        steps.set(Number(delay), [...(steps.get(Number(delay)) ?? []), person]);
    }
    return [...steps].sort(([one], [other]) => one - other)
        .map(([afterMinutes, people]) => ({ afterMinutes, people }));
}

function lastAlarms(alarms, points, land) {
    if (alarms.length === 0) return nothingYet("check", "No limit was ever crossed.");
    const titles = new Map(points.map(({ point, title }) => [point, title]));
    const newest = [...alarms].sort((one, other) => Date.parse(other.raised) - Date.parse(one.raised));
    return h("ul.rows", { role: "list" }, newest.map((alarm) => h("li", null,
        alarmSentence(alarm, land.title(alarm.place)), ", ",
        when(alarm.raised, dayAndClock(alarm.raised, land.zoneOf(alarm.place))), " · ",
        furtherLink(alarm, titles, land))));
}

/** The point of a conflict of goods is the store, which has no alarms of its own. */
function furtherLink({ quantity, point, place }, titles, land) {
    return quantity === "goods-conflict" ? h("a", { href: `#/stores/${point}` }, land.title(place))
        : h("a", { href: `#/alarms/${point}` }, `All alarms of ${titles.get(point) ?? point}`);
}
