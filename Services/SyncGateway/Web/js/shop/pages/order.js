/** One order: its lines, where it waits, and a way back while that is possible. */
import { h, when } from "../../dom.js";
import { dayAndClock } from "../../format.js";
import { icon } from "../../icons.js";
import { command } from "../../app/api.js";
import { action } from "../../app/form.js";
import { money } from "../parts.js";
import { recallOf, stateWords } from "../order-words.js";
import { one, tell, transact } from "../storage.js";

/** @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog, name) {
    const order = await one("orders", name);
    if (order === null) return null;
    const recall = recallOf(order, catalog);
    const pickup = catalog.pickups.find((point) => point.id === order.pickup);
    const changed = order.shownTotal && order.shownTotal.minor !== order.total.minor;
    return {
        title: "Order", name: "order",
        content: [
            h("p.crumbs", null, h("a", { href: "/orders" }, "Your orders")),
            h("div.head", null, h("h1", { tabindex: "-1" }, stateWords(order)),
                h("p.quiet", null, when(order.placed, dayAndClock(order.placed)), ", number ",
                    h("span.code", null, order.id))),
            recall && h("div.alarm", null, icon("warning"),
                h("p.alarm-what", null, `Something in it was recalled. Do not eat it: ${recall}`)),
            changed && h("p.note", null, `A price had changed: you were shown ${money(order.shownTotal)}.`),
            h("section.card", null, h("ul.rows", { role: "list" }, order.lines.map((line) => row(line, catalog))),
                h("p.total", null, "Together ", h("strong", null, money(order.total)))),
            pickup && h("section.card.block", null, h("h2", null, "Pick it up"),
                h("p", null, h("strong", null, pickup.title)),
                [pickup.address, pickup.hours].filter(Boolean).map((text) => h("p", null, text)),
                h("p.quiet", null, (order.paid?.minor ?? 0) >= order.total.minor && order.total.minor > 0
                    ? "It is paid." : "You pay when you have it in your hands.")),
            order.state === "placed" && h("div.block", null, cancel(order, context)),
        ],
    };
}

function row({ product, lot, quantity, amount }, catalog) {
    const known = catalog.productsByName.get(product);
    return h("li.step", null,
        h("span", null, `${quantity} × `, known ? h("a", { href: `/products/${product}` }, known.title) : product,
            lot && h("span.quiet", null, ` lot ${lot}`)),
        h("span", null, money(amount)));
}

function cancel(order, context) {
    return action({
        name: `cancel ${order.id}`, label: "Cancel this order", kind: "button-danger",
        send: (key) => command("POST", `/v1/orders/${order.id}/cancellations`, {}, key),
        done: async (answer) => {
            const body = { ...order, ...answer, id: order.id };
            await transact(["records"], "readwrite", (records) => {
                records.put({ table: "orders", id: order.id, body });
            });
            tell("records");
            context.announce("The order is cancelled.");
        },
    });
}
