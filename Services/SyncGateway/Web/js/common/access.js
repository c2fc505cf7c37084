/** Forms and lists about passwords and devices, for the pages of the staff and of buyers. */
import { command } from "./api.js";
import { h, when } from "./dom.js";
import { action, form } from "./form.js";
import { dayAndClock } from "./format.js";

/** The field for a new password. */
export const newPassword = {
    name: "password", label: "New password", type: "password", required: true,
    hint: "At least 10 characters. Several words in a row make a good password.",
    attributes: { autocomplete: "new-password", minlength: 10 },
};

/** @param {() => any} done after it was changed @returns {HTMLFormElement} */
export function passwordForm(done) {
    return form({
        name: "change-password", title: "Change your password", submit: "Change password", isSecret: true,
        fields: [
            { name: "old", label: "Current password", type: "password", required: true,
                attributes: { autocomplete: "current-password" } },
            newPassword,
            { name: "keepOthers", label: "Stay signed in on my other devices", type: "checkbox" },
        ],
        send: (values, key) => command("PUT", "/v1/me/password", values, key),
        done,
    });
}

/**
 * @param {any[]} sessions as `/v1/me/sessions` tells them
 * @param {() => any} changed after one was ended
 * @param {() => any} left after all were ended
 * @returns {any[]}
 */
export function deviceList(sessions, changed, left) {
    return [
        h("h2", null, "Where you are signed in"),
        h("ul.devices", { role: "list" }, sessions.map((one) => h("li", { "data-session": one.session },
            h("p", null, h("strong", null, one.device), one.current && " (this device)"),
            h("p.quiet", null, `Network ${one.network}, last used `, when(one.used, dayAndClock(one.used))),
            !one.current && action({
                name: `end ${one.session}`, label: `Sign out ${one.device}`, kind: "button-quiet",
                send: (key) => command("DELETE", `/v1/me/sessions/${one.session}`, null, key), done: changed,
            })))),
        action({
            name: "sign out everywhere", label: "Sign out everywhere", kind: "button-quiet",
            send: (key) => command("DELETE", "/v1/me/sessions", null, key), done: left,
        }),
    ];
}
