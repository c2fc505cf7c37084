/** The keys of sensors and networks that encrypt: entering one, and removing it. Keys are never shown. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { counted, dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { openDialog } from "../common/parts.js";

/** Returns the button that asks for the key of a sensor. @param {import("./main.js").Context} context */
export function keyButton(context, device, isKnown) {
    return h("button.button.button-quiet", { type: "button", onclick: () => askForKey(context, device) },
        isKnown ? t`Enter another key` : t`Enter its key`, h("span.hidden", null, ` (${device})`));
}

const keyField = { name: "key", label: t`Key`, required: true,
    attributes: { maxlength: 80, autocomplete: "off", spellcheck: "false" } };

/** Returns the button that asks for the key of a ZigBee network. @param {import("./main.js").Context} context */
export function networkKeyButton(context) {
    return h("button.button.button-quiet", { type: "button", onclick: () => askForNetworkKey(context) },
        t`Enter the key of a ZigBee network`);
}

function askForNetworkKey(context) {
    const dialog = openDialog(t`Key of a ZigBee network`,
        h("p", null, t`Capture files with its traffic are decrypted with it. The program that set up the network shows
            it as network key: zigbee2mqtt in its configuration file, as 16 numbers or 32 digits.`),
        form({
            name: "set-network-key", submit: t`Save key`, isSecret: true,
            fields: [{ name: "network", label: t`Name of the network`, required: true,
                hint: t`Letters, digits, hyphens and underscores: greenhouse.`,
                attributes: { maxlength: 40, autocomplete: "off", spellcheck: "false" } }, keyField],
            send: ({ network, key: entered }, key) =>
                command("POST", "/v1/device-keys", { device: `zigbee:${network}`, key: entered }, key),
            done: async (_, { network }) => {
                dialog.close();
                context.announce(t`The key of ${network} was saved. Captures are decrypted with it from now on.`);
                await context.refresh();
            },
        }));
}

function askForKey(context, device) {
    const dialog = openDialog(t`Key of ${device}`,
        h("p", null, t`32 letters and digits from 0 to 9 and a to f. The app or program that set up the sensor shows
            it as bindkey or encryption key: Shelly BLU in the Shelly app below Encryption, Xiaomi in the program that
            flashed or activated it.`),
        form({
            name: `set-device-key ${device}`, submit: t`Save key`, isSecret: true,
            fields: [keyField],
            send: ({ key: entered }, key) => command("POST", "/v1/device-keys", { device, key: entered }, key),
            done: async () => {
                dialog.close();
                context.announce(t`The key of ${device} was saved. Its next message is decoded.`);
                await context.refresh();
            },
        }));
}

/**
 * Returns the sensors whose keys were entered.
 * @param {import("./main.js").Context} context @param {any[]} keys the items of `/v1/device-keys` @param {string} zone
 */
export function keyList(context, keys, zone) {
    if (keys.length === 0) return null;
    return h("details.card.fold", { id: "device-keys" },
        h("summary", null, t`${counted(keys.length, "key")} of sensors and networks that encrypt`),
        h("ul.rows", { role: "list" }, keys.map(({ device, since }) => h("li", { "data-device": device },
            h("p", null, h("span.code", null, device)),
            h("p.quiet", null, t`Key entered `, when(since, dayAndClock(since, zone))),
            context.can("grower") && action({
                name: `remove-device-key ${device}`, label: t`Remove key`, kind: "button-quiet",
                send: (key) => command("DELETE", `/v1/device-keys/${device}`, null, key),
                done: () => {
                    context.announce(t`The key of ${device} was removed.`);
                    return context.refresh();
                },
            })))));
}
