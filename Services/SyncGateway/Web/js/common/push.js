/** Notifications on a person's devices by Web Push: subscribing, listing, testing and removing. */
import { command } from "./api.js";
import { h, when } from "./dom.js";
import { action } from "./form.js";
import { dayAndClock } from "./format.js";
import { t } from "./language.js";

/** The browser's own entry for the channel that it subscribed. */
const ownChannel = "furrow-push-channel";

/**
 * Returns the list of the person's devices, and the button that adds this one or the reason why it cannot be added.
 * @param {{announce: (text: string) => void, refresh: () => any}} context
 * @param {{items: any[], pushKey: string}} channels the response of `/v1/me/channels`
 * @param {string} added the announcement once this device is added
 */
export function notifiedDevices(context, { items, pushKey }, added) {
    const devices = items.filter(({ kind }) => kind === "push");
    const own = devices.find(({ channel }) => channel === rememberedChannel());
    const hindrance = whyNot();
    return [
        devices.length > 0
            && h("ul.devices", { role: "list" }, devices.map((one) => device(context, one, one === own))),
        !own && (hindrance === null ? subscribeButton(context, pushKey, added) : h("p.note", null, hindrance)),
    ];
}

/** Returns why this browser cannot be notified; null if it can. */
function whyNot() {
    if (globalThis.isSecureContext !== true) {
        return t`This device cannot be notified while the page is open over http. Open it over https and try
            again.`;
    }
    if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis)) {
        return /iPhone|iPad/.test(navigator.userAgent)
            ? t`On an iPhone or iPad, first add this page to the Home Screen (Share, then Add to Home Screen). Open it
                from there and come back to this page.`
            : t`This browser cannot show notifications. Use a current Firefox, Chrome, Edge or Safari.`;
    }
    if (Notification.permission === "denied") {
        return t`Notifications of this site are blocked in this browser. Allow them in the site’s settings (beside the
            address), then reload this page.`;
    }
    return null;
}

function subscribeButton(context, pushKey, added) {
    const problem = h("p.note", { role: "alert", hidden: true });
    const button = action({
        name: "subscribe-device", label: t`Notify me on this device`, icon: "bell",
        send: async (key) => {
            problem.hidden = true;
            const subscription = await subscribe(pushKey).catch((error) => {
                problem.textContent = refusal(error);
                problem.hidden = false;
                return null;
            });
            if (subscription === null) return null;
            const { endpoint, keys } = subscription.toJSON();
            return command("POST", "/v1/me/channels", { endpoint, p256dh: keys.p256dh, auth: keys.auth }, key);
        },
        done: (made) => {
            if (made === null) return null;
            rememberChannel(made.channel);
            context.announce(added);
            return context.refresh();
        },
    });
    return h("div", null, button, problem);
}

/** Subscribes this browser with the farm's key; a subscription with another key is replaced. */
async function subscribe(pushKey) {
    if (await Notification.requestPermission() !== "granted") throw new Error("permission");
    // `ready` would wait for ever if the browser refuses the worker, for example because of the certificate.
    await navigator.serviceWorker.register("/sw.js");
    const registration = await navigator.serviceWorker.ready;
    const existing = await registration.pushManager.getSubscription();
    if (existing !== null) await existing.unsubscribe();
    return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
}

function refusal(error) {
    return error.message === "permission"
        ? t`You did not allow notifications, so this device is not notified. Press the button again to be asked
            again.`
        : t`This browser’s push service could not be reached (${error.message}). Check the connection and try
            again.`;
}

function device(context, { channel, title, since, service }, isOwn) {
    const outcome = h("p.quiet", { role: "status" });
    return h("li", { "data-channel": channel },
        h("p", null, h("strong", null, title), isOwn && t` (this device)`),
        h("p.quiet", null, t`Since `, when(since, dayAndClock(since)), t`, by ${new URL(service).host}`), outcome,
        action({
            name: `test-device ${channel}`, label: t`Test ${title}`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/me/channels/${channel}/tests`, null, key),
            done: ({ accepted, reason }) => {
                outcome.textContent = accepted ? t`Sent: the test appears on the device in a moment.`
                    : t`Not sent: ${reason}.`;
            },
        }),
        action({
            name: `remove-device ${channel}`, label: t`Remove ${title}`, kind: "button-quiet",
            send: (key) => command("DELETE", `/v1/me/channels/${channel}`, null, key),
            done: async () => {
                if (isOwn) await unsubscribe();
                context.announce(t`The device is not notified any more.`);
                return context.refresh();
            },
        }));
}

async function unsubscribe() {
    rememberChannel(null);
    const registration = await navigator.serviceWorker?.getRegistration();
    const subscription = await registration?.pushManager?.getSubscription();
    await subscription?.unsubscribe();
}

function rememberedChannel() {
    try {
        return localStorage.getItem(ownChannel);
    } catch {
        return null;
    }
}

function rememberChannel(channel) {
    try {
        if (channel === null) localStorage.removeItem(ownChannel);
        else localStorage.setItem(ownChannel, channel);
    } catch {
        // Without storage the list does not mark this device.
    }
}
