/** The page of alarms: what is on, who is notified, and the last alarm of each limit. */
import { get, list } from "../../common/api.js";
import { fill, h, when } from "../../common/dom.js";
import { dayAndClock } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { AlarmBoard } from "../alarm-board.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { notificationList } from "../notifications.js";
import { onCallSection } from "../on-call.js";
import { alarmSentence, receiver } from "../parts.js";
import { loadReporting, pollReporting } from "../reporting.js";
import { webhookSection } from "../webhooks.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const isAdministrator = context.can("administrator");
    const [land, alarms, points, onCall, accounts, reporting, sent, webhooks] = await Promise.all([loadLand(),
        list("/v1/alarms"), list("/v1/points"), get("/v1/on-call"), isAdministrator ? list("/v1/accounts") : [],
        loadReporting(), list("/v1/notifications"), isAdministrator ? list("/v1/webhooks") : []]);
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    if (!isAdministrator) names.set(context.me.person, "You");
    const board = new AlarmBoard(context, land, alarms, points, reporting, { title: t`Now` });
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
        title: t`Alarms`, leave,
        content: [
            head(t`Alarms`, t`What is wrong now, who is notified, and what was.`),
            board.element,
            h("section.block", { id: "on-call" }, h("h2", null, t`Who is notified`),
                onCallSection(context, onCall, accounts, land.zone()),
                isAdministrator && webhookSection(context, webhooks, accounts, land.zone())),
            h("section.block", { id: "notifications" }, h("h2", null, t`Notifications`),
                notificationList(sent, names, land)),
            h("section.block", null, h("h2", null, t`Last alarms`), last),
            h("p.block", null, h("a", { href: "#/sensors" }, t`Limits that raise alarms`)),
        ],
    };
}

function lastAlarms(alarms, points, land) {
    if (alarms.length === 0) return nothingYet("check", t`No limit was ever crossed.`);
    const titles = new Map(points.map(({ point, title }) => [point, title]));
    const newest = [...alarms].sort((one, other) => Date.parse(other.raised) - Date.parse(one.raised));
    return h("ul.rows", { role: "list" }, newest.map((alarm) => h("li", null,
        alarmSentence(alarm, land.title(alarm.place)), ", ",
        when(alarm.raised, dayAndClock(alarm.raised, land.zoneOf(alarm.place))), " · ",
        furtherLink(alarm, titles, land))));
}

function furtherLink({ quantity, point, place, device }, titles, land) {
    const names = { "goods-conflict": land.title(place), reception: receiver(device) };
    return h("a", { href: `#/alarms/${point}` }, t`All alarms of ${names[quantity] ?? titles.get(point) ?? point}`);
}
