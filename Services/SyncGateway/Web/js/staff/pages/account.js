/** The page of the person's own account: password and devices. */
import { deviceList, passwordForm } from "../../common/access.js";
import { list, session } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { head } from "../../common/parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const sessions = await list("/v1/me/sessions");
    return {
        title: "Your account",
        content: [
            head("Your account", `${context.me.name}, ${context.me.email}`),
            h("div.card.block", null, passwordForm(() => {
                context.announce("Your password was changed.");
                return context.refresh();
            })),
            h("section.card.block", null, deviceList(sessions, () => {
                context.announce("That device was signed out.");
                return context.refresh();
            }, () => session.dispatchEvent(new Event("lost")))),
            h("p.block", null, h("a", { href: "#/audit-log" }, "Sign-ins and changes of access")),
        ],
    };
}
