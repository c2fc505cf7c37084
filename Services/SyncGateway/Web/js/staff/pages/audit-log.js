/** The page of the audit log: sign-ins, refused sign-ins and changes of access. */
import { get } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { dayAndClock } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";

const words = {
    "signed-in": t`signed in`, "sign-in-refused": t`wrong password`, "account-created": t`account created`,
    "account-erased": t`account erased`, "password-changed": t`password changed`,
    "password-reset": t`password set with a link`, "reset-requested": t`requested a new password`,
    "reset-link-made": t`the operator created a link for a new password`, "sessions-ended": t`signed out other devices`,
    "webhook-active": t`webhook for alarms added`, "webhook-disabled": t`webhook disabled by its receiver`,
    "webhook-removed": t`webhook removed`, "push-active": t`device added for alarms`,
    "push-removed": t`device removed from alarms`,
    "gateway-admitted": t`radio gateway added`, "gateway-dismissed": t`radio gateway removed`,
    "device-key-set": t`key of the sensor entered`, "device-key-removed": t`key of the sensor removed`,
};

/** Returns the page. */
export async function show() {
    const page = h("ul.audit-log", { role: "list" });
    const more = h("button.button.button-quiet", { type: "button", hidden: true }, t`Show older entries`);
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
        title: t`Sign-ins and changes`,
        content: [
            head(t`Sign-ins and changes`, t`Sign-ins, refused sign-ins and changes of access rights.`),
            page.children.length === 0 ? nothingYet("info", t`There are no entries yet.`) : page, more,
        ],
    };
}

function line(entry) {
    const about = entry.name ?? entry.gateway ?? entry.device
        ?? (entry.person ? t`An erased account` : t`An unknown address`);
    const by = entry.actorName && entry.actorName !== entry.name ? `, by ${entry.actorName}` : "";
    const often = entry.count > 1 ? t` (${entry.count} times)` : "";
    return h("li", { "data-what": entry.what }, when(entry.at, dayAndClock(entry.at)), " ",
        h("span", null, h("strong", null, about), `: ${words[entry.what] ?? entry.what}${often}${by}`));
}
