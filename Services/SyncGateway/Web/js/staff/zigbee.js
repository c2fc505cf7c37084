/** ZigBee networks: the coordinators of the farm server, and the devices that join. */
import { command, get, list } from "../common/api.js";
import { fill, h, when } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { backUp, restore } from "./coordinator-backup.js";
import { receiver } from "./parts.js";

const Limits = { joiningSeconds: 180, pollMilliseconds: 2000 };

/**
 * The items of `/v1/coordinators` and of `/v1/zigbee-devices`.
 * @typedef {{coordinators: any[], devices: any[]}} Networks
 */

/** @returns {Promise<Networks>} */
export async function loadNetworks() {
    const [{ items }, devices] = await Promise.all([get("/v1/coordinators"), list("/v1/zigbee-devices")]);
    return { coordinators: items, devices };
}

/**
 * Returns the section; nothing if no coordinator is attached. It follows what changes while it is shown.
 * @param {import("./main.js").Context} context @param {Networks} networks @param {string} zone
 */
export function zigbeeSection(context, networks, zone) {
    if (networks.coordinators.length === 0 && networks.devices.length === 0) return null;
    const body = h("div");
    const section = h("section.block", { id: "zigbee" }, h("h2", null, t`ZigBee networks`), body);
    let shown = "";
    /** Shows the networks if they have changed: a field in use stays as it is. */
    const show = (current) => {
        const { structure } = described(current);
        if (structure !== shown) fill(body, contents(context, current, zone));
        shown = structure;
        for (const { source, openSeconds = 0 } of current.coordinators) {
            const clock = body.querySelector(`[data-open="${CSS.escape(source)}"]`);
            if (clock) clock.textContent = minutes(openSeconds);
        }
    };
    show(networks);
    const timer = setInterval(async () => {
        if (!section.isConnected) return clearInterval(timer);
        if (document.hidden) return undefined;
        return show(await loadNetworks().catch(() => networks));
    }, Limits.pollMilliseconds);
    return section;
}

/** What is shown of the networks, apart from the seconds that are left. @param {Networks} networks */
function described({ coordinators, devices }) {
    const fixed = coordinators.map((one) => ({ ...one, openSeconds: one.openSeconds > 0 }));
    return { structure: JSON.stringify([fixed, devices.map((one) => ({ ...one, last: undefined }))]) };
}

function minutes(seconds) {
    return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function contents(context, { coordinators, devices }, zone) {
    return [
        h("div.card", null,
            h("ul.rows", { role: "list" }, coordinators.map((one) => coordinator(context, one)))),
        devices.length > 0 && h("div.card.block", null, h("h3", null, t`Devices in the network
            (${devices.length})`),
            h("ul.rows", { role: "list" }, devices.map((one) => joined(context, one, zone)))),
    ];
}

function coordinator(context, one) {
    const { source, state, firmware, panId, channel, trouble, formingFailure } = one;
    return h("li", { "data-coordinator": source, "data-state": state },
        h("p", null, h("strong", null, receiver(source)), firmware && h("span.quiet", null, ` ${firmware}`)),
        h("p.quiet", null, sentenceOf(one)),
        formingFailure && h("p.alarm-what", null, t`The coordinator did not get the network: ${formingFailure}.`),
        trouble && state !== "blank" && h("p.alarm-what", null, t`It does not work: ${trouble}.`),
        state === "running" && context.can("grower") && joining(context, one),
        context.can("administrator") && state === "blank" && [create(source), h("details.fold", null,
            h("summary", null, t`Restore a network from a backup`), restore(source))],
        context.can("administrator") && state === "running" && h("details.fold", null,
            h("summary", null, t`Back up this network`), backUp(context, one)),
        context.can("administrator") && state === "running" && h("details.fold", null,
            h("summary", null, t`Create a new network instead`), create(source, panId ?? "unknown", channel)),
        context.can("administrator") && state === "running" && h("details.fold", null,
            h("summary", null, t`Restore another network from a backup`), restore(source, panId ?? "unknown")));
}

function sentenceOf({ state, panId, channel }) {
    switch (state) {
    case "blank": return t`No network yet. Create one, then let your sensors join.`;
    case "forming": return t`The network is being created. This takes up to a minute.`;
    case "reading":
    case "restoring": return state === "reading" ? t`Its memory is being read for a backup.`
        : t`The network is being restored. This takes up to a minute.`;
    case "running": return panId ? t`Network ${panId} on channel ${channel}.` : t`Its network is up.`;
    default: return t`It is starting.`;
    }
}

/** Returns the button that lets devices join; while they may, the time that is left and how to end it. */
function joining(context, { source, openSeconds = 0 }) {
    const permit = (seconds) => (key) => command("POST", "/v1/coordinators/joining", { source, seconds }, key);
    if (openSeconds <= 0) {
        return action({
            name: `permit-joining ${source}`, label: t`Let devices join`, icon: "plus",
            send: permit(Limits.joiningSeconds),
            done: () => context.announce(t`Devices can join for three minutes.`),
        });
    }
    return h("div", null,
        h("p.note", null, h("span", null, t`Devices can join for `,
            h("strong", { "data-open": source }, minutes(openSeconds)),
            t`. Hold the button of the sensor until its light flashes; most need five seconds. It appears below.`)),
        action({
            name: `end-joining ${source}`, label: t`Stop`, kind: "button-quiet", send: permit(0),
            done: () => context.announce(t`No device can join any more.`),
        }));
}

const channels = [["11", "11"], ["15", "15"], ["20", "20 (usual)"], ["25", "25"]];

/**
 * Returns the form that creates a network.
 * @param {string} source @param {string} [replaced] the number of the present network @param {number} [channel]
 */
function create(source, replaced, channel = 20) {
    const number = { name: "replaces", label: t`Number of the present network`, required: true,
        hint: t`It is erased, and all its devices have to join again. Enter ${replaced} to confirm.`,
        attributes: { maxlength: 8, autocomplete: "off", spellcheck: "false" } };
    return form({
        name: `form-network ${source}`, submit: t`Create network`,
        fields: [
            { name: "channel", label: t`Radio channel`, type: "select", required: true, options: channels,
                value: String(channel), hint: t`Another one helps if WLAN disturbs.` },
            ...(replaced ? [number] : []),
        ],
        send: ({ channel: chosen, replaces }, key) => command("POST", "/v1/coordinators/network",
            { source, channel: Number(chosen), ...(replaces ? { replaces: replaces.trim().toLowerCase() } : {}) }, key),
        done: () => {},
    });
}

function joined(context, one, zone) {
    const { device, maker, model, joined: since, unfulfilled, isRouter, isRemoved, point } = one;
    return h("li", { "data-joined": device },
        h("p", null, h("strong", null, [maker, model].filter(Boolean).join(" ") || t`New device`), " ",
            h("span.code", null, device), isRouter && h("span.quiet", null, t` forwards messages of others`)),
        h("p.quiet", null, isRemoved ? t`It will leave when it sends something.` : stateOf(one),
            t` Joined `, when(since, dayAndClock(since, zone)), point && t`, measures at ${point}`, "."),
        unfulfilled && !isRemoved && h("p.quiet", null, t`Not set up: ${unfulfilled}.`),
        !isRemoved && context.can("grower") && action({
            name: `remove-device ${device}`, label: t`Remove from the network`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/zigbee-devices/${device}/removal`, {}, key),
            done: () => context.announce(t`${model ?? device} is removed. What it has measured stays.`),
        }));
}

function stateOf({ interviewed, reporting }) {
    if (!interviewed) return t`It is being set up: press its button now and then until it is done.`;
    return reporting ? t`Reports ${reporting}.` : t`It measures nothing that is known here.`;
}
