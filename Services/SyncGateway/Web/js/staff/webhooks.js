/** Webhooks by which people are notified of alarms: an administrator's list, with a form that creates one. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { action, form } from "../common/form.js";
import { dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";
import { openDialog } from "../common/parts.js";

/**
 * @param {import("./main.js").Context} context
 * @param {any[]} webhooks the items of `/v1/webhooks` @param {any[]} accounts those of `/v1/accounts`
 * @param {string} zone
 */
export function webhookSection(context, webhooks, accounts, zone) {
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    return h("div.folds", null, h("details.fold.card", { id: "webhooks", open: webhooks.length > 0 },
        h("summary", null, t`Webhooks (${webhooks.length})`),
        h("p.quiet", null, t`A webhook passes a person’s alarms on to another program, for example one that sends text
            messages. Each request is signed (Standard Webhooks).`),
        webhooks.length > 0 && h("ul.devices", { role: "list" },
            webhooks.map((one) =>
                webhook(context, one, names.get(one.recipient) ?? t`a person without an account`, zone))),
        create(context, accounts)));
}

function webhook(context, { channel, title, url, since, state }, name, zone) {
    const outcome = h("p.quiet", { role: "status" });
    return h("li", { "data-channel": channel },
        h("p", null, h("strong", null, title), t` for ${name}`),
        h("p.quiet.long-word", null, url),
        h("p.quiet", null, t`Since `, when(since, dayAndClock(since, zone))),
        state === "disabled" && h("p.note", null,
            t`Disabled: the receiver answered that it takes no more (410). Remove it, and add it again if needed.`),
        outcome,
        action({
            name: `test-webhook ${channel}`, label: t`Test ${title}`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/webhooks/${channel}/tests`, null, key),
            done: ({ accepted, reason }) => {
                outcome.textContent = accepted ? t`The receiver accepted the test.` : t`Not accepted: ${reason}.`;
            },
        }),
        action({
            name: `remove-webhook ${channel}`, label: t`Remove ${title}`, kind: "button-quiet",
            send: (key) => command("DELETE", `/v1/webhooks/${channel}`, null, key),
            done: () => {
                context.announce(t`${title} was removed.`);
                return context.refresh();
            },
        }));
}

function create(context, accounts) {
    const staff = accounts.filter(({ role }) => role !== "buyer").map(({ person, name }) => [person, name]);
    return form({
        name: "create-webhook", title: t`Add a webhook`, submit: t`Add webhook`, isSecret: true,
        fields: [
            { name: "recipient", label: t`Whose alarms`, type: "select", required: true, options: staff,
                value: context.me.person },
            { name: "url", label: t`Address`, type: "url", required: true,
                hint: t`https://… An address in the farm’s own network has to be allowed by the operator.`,
                attributes: { maxlength: 500, autocomplete: "off" } },
            { name: "title", label: t`Name`, attributes: { maxlength: 80, autocomplete: "off" } },
        ],
        send: (values, key) => command("POST", "/v1/webhooks", values, key),
        done: async ({ secret }) => {
            await context.refresh();
            const dialog = openDialog(t`The webhook’s secret`,
                h("p", null, t`Enter it in the receiving program, which checks the signature with it. It is shown only
                    now.`),
                h("p.secret", null, h("code", null, secret)),
                h("div.form-end", null,
                    h("button.button", { type: "button", onclick: () => dialog.close() }, t`I have copied it`)));
        },
    });
}
