/** The password form and the list of signed-in devices, for staff and buyers. */
import { command } from "./api.js";
import { h, when } from "./dom.js";
import { action, form } from "./form.js";
import { dayAndClock } from "./format.js";
import { t } from "./language.js";

/** The field of a new password. */
export const newPassword = {
    name: "password", label: t`New password`, type: "password", required: true,
    hint: t`At least 10 characters. Several words in a row make a good password.`,
    attributes: { autocomplete: "new-password", minlength: 10 },
};

/** Returns the form that changes the password. @param {() => any} done called after the change */
export function passwordForm(done) {
    return form({
        name: "change-password", title: t`Change your password`, submit: t`Change password`, isSecret: true,
        fields: [
            { name: "old", label: t`Current password`, type: "password", required: true,
                attributes: { autocomplete: "current-password" } },
            newPassword,
            { name: "keepOthers", label: t`Stay signed in on my other devices`, type: "checkbox" },
        ],
        send: (values, key) => command("PUT", "/v1/me/password", values, key),
        done,
    });
}

/**
 * Returns the list of devices with buttons that end a session.
 * @param {any[]} sessions the items of `/v1/me/sessions`
 * @param {() => any} changed called after one session was ended
 * @param {() => any} left called after all sessions were ended
 * @returns {any[]}
 */
export function deviceList(sessions, changed, left) {
    return [
        h("h2", null, t`Where you are signed in`),
        h("ul.devices", { role: "list" }, sessions.map((one) => h("li", { "data-session": one.session },
            h("p", null, h("strong", null, one.device), one.current && t` (this device)`),
            h("p.quiet", null, t`Network ${one.network}, last used `, when(one.used, dayAndClock(one.used))),
            !one.current && action({
                name: `end ${one.session}`, label: t`Sign out ${one.device}`, kind: "button-quiet",
                send: (key) => command("DELETE", `/v1/me/sessions/${one.session}`, null, key), done: changed,
            })))),
        action({
            name: "sign out everywhere", label: t`Sign out everywhere`, kind: "button-quiet",
            send: (key) => command("DELETE", "/v1/me/sessions", null, key), done: left,
        }),
    ];
}
