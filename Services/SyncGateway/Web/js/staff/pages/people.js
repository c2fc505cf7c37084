/** The page of accounts of the staff. */
import { command, list } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head, openDialog } from "../../common/parts.js";

const roles = {
    administrator: t`Administrator`, grower: t`Grower`, auditor: t`Auditor`,
};

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const accounts = await list("/v1/accounts");
    return {
        title: t`Staff`,
        content: [
            head(t`Staff`, t`Who may sign in, and what each may do.`),
            h("ul.places", { role: "list" }, accounts.map((account) => h("li.card", { "data-person": account.person },
                h("h2", null, account.name),
                h("p", null, account.email),
                h("p.quiet", null, roles[account.role] ?? account.role,
                    account.person === context.me.person && t` (you)`),
                account.person !== context.me.person && h("button.button.button-quiet", {
                    type: "button", onclick: () => erase(context, account), "aria-label": t`Erase ${account.name}`,
                }, t`Erase`)))),
            h("div.card.block", null, invite(context)),
            h("p.block", null, h("a", { href: "#/start-page" }, t`The shop’s start page`)),
            h("p.block", null, h("a", { href: "#/audit-log" }, t`Sign-ins and changes of access`)),
        ],
    };
}

function invite(context) {
    return form({
        name: "create-account", title: t`Add a person`, submit: t`Add person`, isSecret: true,
        fields: [
            { name: "name", label: t`Name`, required: true, attributes: { maxlength: 200, autocomplete: "off" } },
            { name: "email", label: t`E-mail`, type: "email", required: true, attributes: { autocomplete: "off" } },
            { name: "role", label: t`Role`, type: "select", required: true, value: "grower",
                options: Object.entries(roles),
                hint: t`Growers record work, lots and limits. Auditors only read. Administrators also manage
                    staff.` },
            { name: "password", label: t`First password`, type: "password", required: true,
                hint: t`At least 10 characters; tell it to them in person.`,
                attributes: { minlength: 10, autocomplete: "new-password" } },
        ],
        send: (values, key) => command("POST", "/v1/accounts", values, key),
        done: (_answer, { name }) => {
            context.announce(t`${name} was added.`);
            return context.refresh();
        },
    });
}

function erase(context, account) {
    const dialog = openDialog(t`Erase ${account.name}?`,
        h("p", null, t`Name, e-mail address and password are permanently deleted, and the person is signed out
            everywhere. Their entries stay in the farm’s log, without their name. This cannot be undone.`),
        h("div.form-end", null,
            action({
                name: `erase ${account.person}`, label: t`Erase permanently`, kind: "button-danger",
                send: (key) => command("DELETE", `/v1/accounts/${account.person}`, null, key),
                done: () => {
                    dialog.close();
                    context.announce(t`${account.name} was erased.`);
                    return context.refresh();
                },
            }),
            h("button.button.button-quiet", { type: "button", onclick: () => dialog.close() }, t`Cancel`)));
}
