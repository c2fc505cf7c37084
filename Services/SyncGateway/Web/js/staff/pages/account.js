/** The page of the person's own account: notifications of alarms, password and devices. */
import { deviceList, passwordForm } from "../../common/access.js";
import { get, list, session } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { languageForm } from "../../common/language-form.js";
import { t } from "../../common/language.js";
import { head } from "../../common/parts.js";
import { deviceAlarms } from "../device-alarms.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const [sessions, channels] = await Promise.all([list("/v1/me/sessions"), get("/v1/me/channels")]);
    return {
        title: t`Your account`,
        content: [
            head(t`Your account`, `${context.me.name}, ${context.me.email}`),
            h("div.card.block", null, languageForm(true)),
            h("section.card.block", { id: "device-alarms" }, deviceAlarms(context, channels)),
            h("div.card.block", null, passwordForm(() => {
                context.announce(t`Your password was changed.`);
                return context.refresh();
            })),
            h("section.card.block", null, deviceList(sessions, () => {
                context.announce(t`That device was signed out.`);
                return context.refresh();
            }, () => session.dispatchEvent(new Event("lost")))),
            h("p.block", null, h("a", { href: "#/audit-log" }, t`Sign-ins and changes of access`)),
        ],
    };
}
