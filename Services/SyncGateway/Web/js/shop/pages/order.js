/** The page of an order: lines, payment, pick-up point and actions. */
import { command } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { action } from "../../common/form.js";
import { dayAndClock, money, orderNumber } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { openingText } from "../../common/opening-times.js";
import { one, readValue } from "../../common/storage.js";
import { orderActions, saveOrder } from "../order-actions.js";
import { paymentText, recallOf, refundText, stateText } from "../order-text.js";
import { shownTotalKey } from "../outbox.js";

/**
 * Returns the page; null if the id is unknown.
 * @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog @param {string} name
 */
export async function show(context, catalog, name) {
    const order = await one("orders", name);
    if (order === null) return null;
    const recall = recallOf(order, catalog);
    const pickup = catalog.pickups.find((point) => point.id === order.pickup);
    const payment = paymentText(order);
    const shown = await readValue(shownTotalKey(name));
    return {
        title: t`Order`, name: "order",
        content: [
            h("p.crumbs", null, h("a", { href: "/orders" }, t`Your orders`)),
            h("div.head", null, h("h1", { tabindex: "-1" }, stateText(order)),
                h("p.quiet", null, when(order.placed, dayAndClock(order.placed)), t`, number `,
                    h("span.code", null, orderNumber(order.id)))),
            recall && h("div.alarm", null, icon("warning"),
                h("p.alarm-what", null, t`Something in it was recalled. Do not eat it: ${recall}`)),
            shown && h("p.note", null, t`A price changed: you were shown ${money(shown)}.`),
            h("section.card", null, h("ul.rows", { role: "list" }, order.lines.map((line) => row(line, catalog))),
                h("p.total", null, t`Total `, h("strong", null, money(order.total)))),
            h("section.card.block", { "data-payment": payment.tone }, h("h2", null, t`Payment`),
                paying(order, payment, context)),
            pickingUp(order, pickup),
            h("div.block", null, orderActions(order, context)),
        ],
    };
}

/** Returns the section about the pick-up point; null if the order is cancelled. */
function pickingUp(order, pickup) {
    if (order.state === "cancelled" || (order.state !== "placed" && !pickup)) return null;
    const isWaiting = order.state === "placed";
    return h("section.card.block", { "data-pickup": order.state },
        h("h2", null, isWaiting ? t`Pick-up` : t`Collected at`),
        pickup ? [h("p", null, h("strong", null, pickup.title)),
            [pickup.address, isWaiting && openingText(pickup.opens), isWaiting && pickup.hours].filter(Boolean)
                .map((text) => h("p", null, text))]
            : h("p.note", null, icon("warning"), t` The pick-up point you chose was closed. Your order is still valid:
                choose another pick-up point, or ask the farm.`),
        isWaiting && h("p.quiet", null, t`Give your name and this number: `,
            h("strong.code", null, orderNumber(order.id)), "."));
}

function row({ product, lot, quantity, amount }, catalog) {
    const known = catalog.productsByName.get(product);
    return h("li.step", null,
        h("span", null, `${quantity} × `, known ? h("a", { href: `/products/${product}` }, known.title) : product,
            lot && h("span.quiet", null, t` lot ${lot}`)),
        h("span", null, money(amount)));
}

function paying(order, { drawing, text, page, isOpen, canTryAgain }, context) {
    const back = refundText(order);
    return [
        h("p.payment-state", { role: "status" }, isOpen && page === null
            ? h("span.spinner", { "aria-hidden": "true" }) : icon(drawing), h("span", null, text)),
        page !== null && /^https?:/.test(page) && [
            h("p", null, h("a.button", { href: page, target: "_blank", rel: "noopener" },
                icon("card"), t`Pay ${money(order.total)} now`)),
            h("p.quiet", null, t`The payment page opens in a new tab. This page shows when the order is paid.`),
        ],
        canTryAgain && payAgain(order, context),
        back && h("p.payment-state", null, icon("arrow"), h("span", null, back)),
    ];
}

function payAgain(order, context) {
    return action({
        name: `pay again ${order.id}`, label: t`Retry payment`, icon: "card",
        send: (key) => command("POST", `/v1/orders/${order.id}/payments`, {}, key),
        done: async (answer) => {
            await saveOrder(order, { ...answer, paying: { state: "requested" } });
            context.announce(t`The payment was restarted.`);
            context.sync();
        },
    });
}
