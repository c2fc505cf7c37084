/** The page of the audit log: sign-ins, refused sign-ins and changes of access. */
import { get } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { dayAndClock } from "../../common/format.js";
import { head, nothingYet } from "../../common/parts.js";

const words = {
    "signed-in": "signed in", "sign-in-refused": "wrong password", "account-created": "account created",
    "account-erased": "account erased", "password-changed": "password changed",
    "password-reset": "password set with a link", "reset-requested": "requested a new password",
    "reset-link-made": "the operator created a link for a new password", "sessions-ended": "signed out other devices",
    "webhook-active": "webhook for alarms added", "webhook-disabled": "webhook disabled by its receiver",
    "webhook-removed": "webhook removed", "push-active": "device added for alarms",
    "push-removed": "device removed from alarms",
    "gateway-admitted": "radio gateway added", "gateway-dismissed": "radio gateway removed",
    "device-key-set": "key of the sensor entered", "device-key-removed": "key of the sensor removed",
};

/** Returns the page. */
export async function show() {
    const page = h("ul.audit-log", { role: "list" });
    const more = h("button.button.button-quiet", { type: "button", hidden: true }, "Show older entries");
    let next = null;
    const load = async () => {
        const answer = await get(`/v1/audit-log${next === null ? "" : `?after=${encodeURIComponent(next)}`}`);
        page.append(...answer.items.map(line));
        next = answer.next ?? null;
        more.hidden = next === null;
    };
    more.addEventListener("click", load);
    await load();
    return {
        title: "Sign-ins and changes",
        content: [
            head("Sign-ins and changes", "Sign-ins, refused sign-ins and changes of access rights."),
            page.children.length === 0 ? nothingYet("info", "There are no entries yet.") : page, more,
        ],
    };
}

function line(entry) {
    const about = entry.name ?? entry.gateway ?? entry.device
        ?? (entry.person ? "An erased account" : "An unknown address");
    const by = entry.actorName && entry.actorName !== entry.name ? `, by ${entry.actorName}` : "";
    const often = entry.count > 1 ? ` (${entry.count} times)` : "";
    return h("li", { "data-what": entry.what }, when(entry.at, dayAndClock(entry.at)), " ",
        h("span", null, h("strong", null, about), `: ${words[entry.what] ?? entry.what}${often}${by}`));
}
