/** The page of accounts of the staff. */
import { command, list } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { head, openDialog } from "../../common/parts.js";

const roles = {
    administrator: "Administrator", grower: "Grower", auditor: "Auditor",
};

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const accounts = await list("/v1/accounts");
    return {
        title: "Staff",
        content: [
            head("Staff", "Who may sign in, and what each may do."),
            h("ul.places", { role: "list" }, accounts.map((account) => h("li.card", { "data-person": account.person },
                h("h2", null, account.name),
                h("p", null, account.email),
                h("p.quiet", null, roles[account.role] ?? account.role,
                    account.person === context.me.person && " (you)"),
                account.person !== context.me.person && h("button.button.button-quiet", {
                    type: "button", onclick: () => erase(context, account), "aria-label": `Erase ${account.name}`,
                }, "Erase")))),
            h("div.card.block", null, invite(context)),
            h("p.block", null, h("a", { href: "#/start-page" }, "The shop’s start page")),
            h("p.block", null, h("a", { href: "#/audit-log" }, "Sign-ins and changes of access")),
        ],
    };
}

function invite(context) {
    return form({
        name: "create-account", title: "Add a person", submit: "Add person", isSecret: true,
        fields: [
            { name: "name", label: "Name", required: true, attributes: { maxlength: 200, autocomplete: "off" } },
            { name: "email", label: "E-mail", type: "email", required: true, attributes: { autocomplete: "off" } },
            { name: "role", label: "Role", type: "select", required: true, value: "grower",
                options: Object.entries(roles),
                hint: "Growers record work, lots and limits. Auditors only read. Administrators also manage staff." },
            { name: "password", label: "First password", type: "password", required: true,
                hint: "At least 10 characters; tell it to them in person.",
                attributes: { minlength: 10, autocomplete: "new-password" } },
        ],
        send: (values, key) => command("POST", "/v1/accounts", values, key),
        done: (_answer, { name }) => {
            context.announce(`${name} was added.`);
            return context.refresh();
        },
    });
}

function erase(context, account) {
    const dialog = openDialog(`Erase ${account.name}?`,
        h("p", null, "Name, e-mail address and password are permanently deleted, and the person is signed out "
            + "everywhere. Their entries stay in the farm’s log, without their name. This cannot be undone."),
        h("div.form-end", null,
            action({
                name: `erase ${account.person}`, label: "Erase permanently", kind: "button-danger",
                send: (key) => command("DELETE", `/v1/accounts/${account.person}`, null, key),
                done: () => {
                    dialog.close();
                    context.announce(`${account.name} was erased.`);
                    return context.refresh();
                },
            }),
            h("button.button.button-quiet", { type: "button", onclick: () => dialog.close() }, "Cancel")));
}
