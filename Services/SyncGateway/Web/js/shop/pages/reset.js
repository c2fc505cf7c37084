/** The page that sets a new password with a one-time link. */
import { newPassword } from "../../common/access.js";
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { replaceAddress } from "../address.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const token = location.hash.slice(1);
    const next = token === ""
        ? nothingYet("info", t`This address is incomplete. Open the whole link.`,
            h("a", { href: "/forgot" }, t`Request another link`))
        : h("div.card", null, form({
            name: "reset", title: t`Your new password`, submit: t`Set password`, isSecret: true,
            lead: t`You are then signed in here and signed out everywhere else.`,
            fields: [newPassword],
            send: (values, key) => command("POST", "/v1/password-resets/redeem", { token, ...values }, key),
            done: async (account) => {
                if (account.role !== "buyer") {
                    location.assign("/staff");
                    return;
                }
                await context.enter(account);
                await context.sync();
                replaceAddress("/reset", "/orders");
            },
        }));
    return { title: t`New password`, name: "reset",
        content: [h("div.head", null, h("h1", { tabindex: "-1" }, t`Choose a new password`)), next] };
}
