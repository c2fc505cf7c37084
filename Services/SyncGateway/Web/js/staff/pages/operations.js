/** The page of the server's status: services, lag, parked events, disk and last backup. */
import { get, list, NoResponse, Problem } from "../../common/api.js";
import { fill, h, when } from "../../common/dom.js";
import { counted, dayAndClock, number } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head } from "../../common/parts.js";
import { recentMessages } from "../failed-messages.js";
import { facts } from "../parts.js";

const Limits = { lookAgainMilliseconds: 15_000, backupHours: 26, diskDays: 30, lag: 1000 };
const names = {
    "trace-ledger": [t`Ledger`, t`stores every event in one order, and the stories of lots`],
    "sync-gateway": [t`Gateway`, t`receives requests of people and programs`],
    "sensor-ingest": [t`Sensors`, t`receives measurements from radios`],
    "catalog-orders": [t`Shop`, t`products, stock and orders`],
    recommender: [t`Suggestions`, t`what goes with what`],
};
const states = {
    ok: ["check", t`Running`], degraded: ["warning", t`Degraded`], down: ["warning", t`Not ready`],
    silent: ["offline", t`Unreachable`],
};

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const board = h("div.operations");
    const updated = h("p.signal", { role: "status" });
    const draw = (/** @type {any[]} */ [status, failedMessages]) => {
        fill(updated, t`As of `, when(status.at, dayAndClock(Date.now())));
        fill(board, troubles(status), summary(status, failedMessages), services(status));
    };
    const load = async () => [await get("/v1/operations"), recentMessages(await list("/v1/messages/given-up"))];
    draw(await load());
    const refresh = async (isAsked) => {
        try {
            draw(await load());
            if (isAsked) context.announce(t`The status was refreshed.`);
        } catch (error) {
            if (!(error instanceof NoResponse || error instanceof Problem)) throw error;
            fill(updated, icon("offline"), t`The server does not answer. This is the last known status.`);
        }
    };
    const refreshIfVisible = () => document.visibilityState === "visible" && refresh(false);
    const again = setInterval(refreshIfVisible, Limits.lookAgainMilliseconds);
    return {
        title: t`Server`, name: "/operations", leave: () => clearInterval(again),
        content: [
            h("div.head-row", null, head(t`Server`, t`The status of services, storage and backups.`), updated),
            board,
            h("div.block", null,
                h("button.button.button-quiet", { type: "button", onclick: () => refresh(true) }, t`Refresh`)),
        ],
    };
}

/** Returns what has to be done at once, of which the administrators were notified. */
function troubles({ troubles: all = [] }) {
    return all.length > 0 && h("section.block", { id: "troubles" }, h("h2", null, t`To be done at once`),
        h("div.card", null, h("ul.rows", { role: "list" }, all.map(trouble))));
}

function trouble({ check, said, advice, raised }) {
    return h("li", { "data-trouble": check },
        h("p.lot-alarm", null, icon("warning"), said), advice && h("p", null, advice),
        h("p.quiet", null, t`Since `, when(raised, dayAndClock(raised))));
}

function summary({ hub, parked, waiting, disk, backup, services: all }, failedMessages) {
    const failing = all.filter(({ state }) => state !== "ok").length;
    const late = all.reduce((sum, one) => sum + (one.notInHub ?? 0) + (one.lag ?? 0), 0);
    return h("div.places.standing", { id: "standing" },
        tile("services", failing === 0 ? "good" : "bad", t`Services`,
            failing === 0 ? t`All running` : t`${failing} of ${all.length} need attention`),
        tile("lag", late > Limits.lag ? "note" : "good", t`Events in transit`, number(late, 0),
            hub === undefined ? t`The ledger does not answer.` : t`${number(hub, 0)} have arrived in the hub.`),
        tile("parked", parked > 0 ? "note" : "good", t`Parked events`, number(parked, 0),
            parked > 0 && [t`They could not be applied. On the server: `, typed("furrow parked list")],
            waiting > 0 && `. ${counted(waiting, t`later event is`, t`later events are`)} blocked behind them.`),
        tile("unsaid", failedMessages.length > 0 ? "note" : "good", t`Messages not sent`,
            number(failedMessages.length, 0),
            failedMessages.length > 0 && [t`They are listed `, h("a", { href: "#/market" }, t`below the orders`),
                `. The newest: ${failedMessages[0].reason}.`]),
        diskTile(disk), backupTile(backup));
}

function diskTile(disk) {
    if (!disk) return tile("disk", "bad", t`Disk`, t`Unknown`, t`No service could read it.`);
    const isFull = disk.free < disk.needed;
    const isLow = isFull || disk.days < Limits.diskDays;
    return tile("disk", isFull ? "bad" : isLow ? "note" : "good", t`Disk`, t`${bytes(disk.free)} free`,
        `of ${bytes(disk.size)}.`,
        isFull ? t` Nothing new is recorded until ${bytes(disk.needed)} are free: free up space now.`
            : [disk.days !== undefined && t` At this rate, enough for ${long(disk.days)}.`,
                isLow && t` Free up space soon.`],
        usedBar(1 - disk.free / disk.size));
}

function long(days) {
    if (days > 3650) return t`more than ten years`;
    if (days > 730) return counted(Math.floor(days / 365.25), "year");
    return days > 60 ? counted(Math.floor(days / 30.44), "month") : counted(days, "day");
}

function usedBar(share) {
    const used = h("span");
    used.style.width = `${Math.round(100 * share)}%`;
    return h("span.bar", { "aria-hidden": "true" }, used);
}

function backupTile({ made, failed, why, restored, restoreFault, copied, copyFault }) {
    const advice = [t`On the server: `, typed("furrow backup --to DIR")];
    if (failed) return tile("backup", "bad", t`Last backup`, t`Failed`, why ?? "", " ", advice);
    if (!made) return tile("backup", "bad", t`Last backup`, t`None yet`, advice);
    if (restoreFault) return tile("backup", "bad", t`Last backup`, t`Not restorable`, restoreFault, " ", advice);
    if (copyFault) return tile("backup", "bad", t`Last backup`, t`Not copied`, copyFault, " ", advice);
    const hours = (Date.now() - Date.parse(made)) / 3_600_000;
    const isOld = hours > Limits.backupHours;
    return tile("backup", isOld ? "note" : "good", t`Last backup`, age(hours), when(made, dayAndClock(made)),
        isOld && [". Make one every day. ", advice],
        restored && [t`; restored in a test: `, when(restored, dayAndClock(restored))],
        copied && [t`; copied to the repository: `, when(copied, dayAndClock(copied))]);
}

/** A command for the server's command line. */
function typed(text) {
    return h("span.code.command", null, text);
}

/** A status tile. The tone is also expressed in words. */
function tile(name, tone, title, value, ...more) {
    const drawing = { good: "check", note: "warning", bad: "warning" }[tone];
    return h("section.card.tile", { "data-tile": name, "data-tone": tone },
        h("h2", null, title), h("p.tile-value", null, icon(drawing), value), h("p.quiet", null, more));
}

function services({ services: all }) {
    return h("section.block", null, h("h2", null, t`Services`),
        h("ul.places", { role: "list" }, all.map((one) => service(one))));
}

function service({ origin, state, troubles, head: events, notInHub, lag, parked, waiting, residentBytes }) {
    const [drawing, word] = states[state] ?? states.silent;
    const [title, what] = names[origin.split("/")[0]] ?? [origin, ""];
    return h("li.card.service", { "data-service": origin, "data-state": state },
        h("h3", null, title), h("p.quiet", null, what),
        h("p.service-state", null, icon(drawing), word),
        state !== "ok" && state !== "silent" && h("ul", null, troubles.map((trouble) => h("li", null, trouble))),
        facts([
            [t`Events`, events === undefined ? null : number(events, 0)],
            [t`In transit to the hub`, notInHub > 0 && counted(notInHub, "event")],
            [t`Not read yet`, lag > 0 && counted(lag, "event")],
            [t`Parked`, parked > 0 && counted(parked, "event")],
            [t`Blocked`, waiting > 0 && counted(waiting, "event")],
            [t`Memory`, residentBytes && bytes(residentBytes)],
        ]),
        h("p.code.quiet", null, origin));
}

function bytes(count) {
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
    return `${number(count / 1000 ** unit, unit > 1 ? 1 : 0)}\u00a0${units[unit]}`;
}

function age(hours) {
    if (hours < 1) return t`Within the hour`;
    if (hours < 48) return t`${counted(Math.floor(hours), "hour")} ago`;
    return t`${counted(Math.floor(hours / 24), "day")} ago`;
}
