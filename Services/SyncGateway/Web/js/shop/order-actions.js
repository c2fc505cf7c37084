/** The actions of a buyer on an order. */
import { command } from "../common/api.js";
import { h } from "../common/dom.js";
import { action } from "../common/form.js";
import { money } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { openDialog } from "../common/parts.js";
import { notifyChange, transact } from "../common/storage.js";
import { refundedMinor } from "./order-text.js";

/**
 * Returns the buttons that change and cancel an order.
 * @param {OrderRecord & Synced} order @param {import("./main.js").Context} context
 * @returns {HTMLElement|null} null if the order is closed
 */
export function orderActions(order, context) {
    if (order.state !== "placed") return null;
    const isPaying = order.payment !== "at-pickup" && (order.paid?.minor ?? 0) < order.total.minor;
    return h("div.form-end.order-deeds", null,
        !isPaying && h("a.button.button-quiet", { href: `/orders/${order.id}/change` }, icon("pencil"), t`Change`),
        h("button.button.button-quiet", {
            type: "button", "data-key": `cancel ${order.id}`, onclick: () => confirmCancellation(order, context),
        }, icon("cross"), t`Cancel order`));
}

function confirmCancellation(order, context) {
    const left = (order.paid?.minor ?? 0) - refundedMinor(order);
    const dialog = openDialog(t`Cancel this order?`,
        h("p", null, t`Its boxes go back to the farm. `,
            left > 0 ? t`${money({ ...order.paid, minor: left })} is refunded to you.`
                : t`There is nothing to refund and nothing to pay.`),
        h("div.form-end", null,
            action({
                name: `cancel ${order.id}`, label: t`Yes, cancel the order`, kind: "button-danger",
                send: (key) => command("POST", `/v1/orders/${order.id}/cancellations`, {}, key),
                done: async (answer) => {
                    dialog.close();
                    await saveOrder(order, answer);
                    context.announce(t`The order was cancelled.`);
                    context.sync();
                },
            }),
            h("button.button.button-quiet", { type: "button", onclick: () => dialog.close() }, t`Keep order`)));
}

/** Stores an order as the server returned it. @param {any} before the stored order @param {any} answer */
export async function saveOrder(before, answer) {
    const body = { ...before, ...answer, id: before.id };
    await transact(["records"], "readwrite", (records) => {
        records.put({ table: "orders", id: before.id, body });
    });
    notifyChange("records");
}
