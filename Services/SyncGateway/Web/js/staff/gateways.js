/** The radio hubs and gateways that post to this farm: an administrator's list, with a form that admits one. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { counted, dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { openDialog } from "../common/parts.js";
import { freeName, shortName } from "./parts.js";

/**
 * @param {import("./main.js").Context} context @param {any[]} gateways the items of `/v1/gateways`
 * @param {any[]} devices the items of `/v1/devices`
 * @param {string} zone
 */
export function gatewaySection(context, gateways, devices, zone) {
    const admitted = gateways.filter(({ dismissed }) => dismissed === undefined);
    return h("div.folds", null, h("details.fold.card", { id: "gateways", open: admitted.length > 0 },
        h("summary", null, t`Radio hubs and gateways (${admitted.length})`),
        h("p.quiet", null, t`They receive Bluetooth sensors and post their messages here: a small computer with the
            program furrow-hub, a Ruuvi Gateway, a Minew gateway, or a program of your own.`),
        admitted.length > 0
            && h("ul.devices", { role: "list" }, admitted.map((one) => gateway(context, one, devices, zone))),
        admit(context, gateways)));
}

function gateway(context, one, devices, zone) {
    const { gateway: name, title, since } = one;
    const heard = devices.filter(({ source }) => source === `gateway/${name}`).length;
    return h("li", { "data-gateway": name },
        h("p", null, h("strong", null, title)),
        h("p.quiet", null, contact(one, zone), heard > 0 && t`, receives ${counted(heard, "sensor")}`),
        hubState(one, devices, zone),
        clockNote(one),
        h("p.quiet", null, t`Admitted `, when(since, dayAndClock(since, zone))),
        action({
            name: `remove-gateway ${name}`, label: t`Remove ${title}`, kind: "button-quiet",
            send: (key) => command("DELETE", `/v1/gateways/${name}`, null, key),
            done: () => {
                context.announce(t`${title} was removed. What it has sent stays.`);
                return context.refresh();
            },
        }));
}

/** Returns when a gateway posted last. The server counts messages from its start. */
function contact({ lastSeen, seenSince, messages }, zone) {
    if (lastSeen) {
        return [t`Last post `, when(lastSeen, dayAndClock(lastSeen, zone)),
            messages ? `, ${counted(messages, "message")}` : ""];
    }
    return seenSince ? [t`No post since the server started, `, when(seenSince, dayAndClock(seenSince, zone))]
        : [t`No post yet`];
}

/** Seconds without a report of a hub, which sends one each minute, after which it is silent. */
const SILENT_SECONDS = 180;

/** Returns what a radio hub says about itself. */
function hubState({ hub }, devices, zone) {
    if (!hub) return null;
    if (Date.now() - Date.parse(hub.at) > SILENT_SECONDS * 1_000) {
        return h("p.note", null, t`The hub has said nothing since `, when(hub.at, dayAndClock(hub.at, zone)), ".");
    }
    const names = hub.connected.map((address) => {
        const known = devices.find(({ device }) => device === `ble:${address.replaceAll(":", "")}`);
        return known?.title ?? address;
    });
    return h("div.hub", null,
        hub.trouble ? h("p.note", null, t`Its Bluetooth does not work: ${hub.trouble}.`)
            : h("p.quiet", null, names.length > 0 ? t`Listening, connected to ${names.join(", ")}` : t`Listening`),
        hub.waiting > 0 && h("p.quiet", null, t`${counted(hub.waiting, "report")} waiting there`,
            hub.oldest && [t`, the oldest from `, when(hub.oldest, dayAndClock(hub.oldest, zone))]),
        hub.removed > 0 && h("p.note", null,
            t`It has lost ${counted(hub.removed, "report")} that waited for a week, or were too many.`),
        hub.refused > 0 && h("p.note", null, t`The farm refused ${counted(hub.refused, "request")} of it; “furrow-hub
            status” says more.`));
}

/** Returns a note if a gateway's clock is wrong by more than a minute. */
function clockNote({ clockAhead }) {
    if (clockAhead === undefined || Math.abs(clockAhead) < 60) return null;
    const minutes = counted(Math.max(1, Math.round(Math.abs(clockAhead) / 60)), "minute");
    return h("p.note", null, clockAhead > 0
        ? t`Its clock is ${minutes} ahead: times in the future are replaced by the time of the post.`
        : t`Its messages are at least ${minutes} old when they arrive: its clock is behind, or it has stored
            them.`);
}

function admit(context, gateways) {
    const taken = new Set(gateways.map((one) => one.gateway));
    return form({
        name: "admit-gateway", title: t`Add a hub or gateway`, submit: t`Add`, isSecret: true,
        fields: [
            { name: "title", label: t`Name`, required: true, hint: t`For example where it stands: Barn`,
                attributes: { maxlength: 80, autocomplete: "off" } },
        ],
        send: ({ title }, key) =>
            command("POST", "/v1/gateways", { gateway: freeName(shortName(title), taken), title }, key),
        done: async ({ token }) => {
            await context.refresh();
            showToken(token);
        },
    });
}

/** Shows what to enter in the gateway. The token is shown only here. @param {string} token */
function showToken(token) {
    const address = `${location.origin}/v1/uplink`;
    const dialog = openDialog(t`Enter this in the hub or gateway`,
        h("p", null, t`It is shown only now. On a Ruuvi Gateway choose “Custom server”, “Use HTTP(S)” and the
            authentication “Bearer”. For a radio hub, put the token in a file: furrow-hub --farm ${location.origin}
            --token FILE`),
        h("h3", null, t`Address`), h("p.secret", null, h("code", null, address)),
        h("h3", null, t`Token`), h("p.secret", null, h("code", { id: "gateway-token" }, token)),
        h("p", null, t`If it takes an address only, for example Minew with the format JSON-RAW:`),
        h("p.secret", null, h("code", null, `${address}/${token}`)),
        h("div.form-end", null,
            h("button.button", { type: "button", onclick: () => dialog.close() }, t`I have copied it`)));
}
