/** Notifications of alarms on the devices of a person of the staff. */
import { h } from "../common/dom.js";
import { t } from "../common/language.js";
import { notifiedDevices } from "../common/push.js";

/**
 * Returns the section of the account's page.
 * @param {import("./main.js").Context} context
 * @param {{items: any[], pushKey: string, mail: boolean}} channels the response of `/v1/me/channels`
 */
export function deviceAlarms(context, channels) {
    const { items, mail } = channels;
    const webhooks = items.filter(({ kind, state }) => kind === "webhook" && state === "active");
    return [
        h("h2", null, t`Alarms on your devices`),
        h("p.quiet", null, reach(mail, webhooks.length)),
        notifiedDevices(context, channels, t`Alarms will be shown on this device.`),
        h("p.quiet", null, t`A device shows alarms until it is removed here, also while you are signed out. `,
            t`You are notified only if you are on the list of the page `, h("a", { href: "#/alarms" }, t`Alarms`), "."),
    ];
}

function reach(mail, webhooks) {
    const ways = [mail && t`by e-mail`, webhooks > 0 && t`by a webhook that an administrator set up`].filter(Boolean);
    return ways.length > 0 ? t`Alarms also reach you ${ways.join(" and ")}.`
        : t`No mail server is set up: alarms reach you only on the devices that you add here.`;
}
