/** The page of orders: those not sent yet, those that the server refused, and those that it has accepted. */
import { h, when } from "../../common/dom.js";
import { dayAndClock, money } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { all } from "../../common/storage.js";
import { go } from "../address.js";
import { orderActions } from "../order-actions.js";
import { paymentText, recallOf, refundText, stateText } from "../order-text.js";
import { entriesOf, moveToCart, outbox, removeEntry } from "../outbox.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const pending = entriesOf(await outbox(), context.me).filter((row) => row.table === "orders");
    const orders = (await all("orders")).sort((left, right) => right.placed.localeCompare(left.placed));
    const isEmpty = pending.length + orders.length === 0;
    return {
        title: t`Your orders`, name: "orders", dependsOnConnection: true,
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Your orders`)),
            pending.map((row) => (row.state === "refused" ? refused(row) : waiting(row, context))),
            orders.length > 0 && h("ul.rows.card.orders", { role: "list" },
                orders.map((order) => item(order, catalog, context))),
            isEmpty && nothingYet("handed-over", t`You have not ordered anything yet.`,
                h("a.button", { href: "/shop" }, t`Go to the shop`)),
        ],
    };
}

function waiting(row, context) {
    const needsAccount = context.me === null;
    const text = !context.needsSignIn() ? t`Not sent yet: it is sent once, as soon as there is a connection.`
        : needsAccount ? t`Not sent yet: an order needs an account. Sign in or create one, and it is sent once.`
            : t`Not sent yet: you are signed out. Sign in again, and it is sent once.`;
    return h("section.card.pending", { "data-pending": row.id },
        h("p.pending-state", null, icon("clock"), text), contents(row),
        context.needsSignIn() && h("div.form-end", null,
            h("a.button", { href: "/sign-in" }, needsAccount ? t`Sign in or create an account` : t`Sign in`)));
}

function refused(row) {
    const again = async () => {
        await moveToCart(row);
        go("/cart");
    };
    return h("section.card.pending", { "data-refused": row.id },
        h("p.lot-alarm", null, icon("warning"), t`The farm could not accept this order: ${row.reason}`), contents(row),
        h("div.form-end", null, h("button.button", { type: "button", onclick: again }, t`Move back to the cart`),
            h("button.button.button-quiet", { type: "button", onclick: () => removeEntry(row.id) }, t`Dismiss`)));
}

function contents({ shown, made }) {
    return [
        h("ul.rows", { role: "list" }, (shown?.lines ?? []).map(({ title, quantity, amount }) => h("li.step", null,
            h("span", null, `${quantity} × ${title}`), h("span", null, amount ? money(amount) : "–")))),
        h("p.quiet", null, [shown?.pickup, dayAndClock(made)].filter(Boolean).join(", ")),
    ];
}

function item(order, catalog, context) {
    const titles = order.lines.map(({ product, quantity }) =>
        `${quantity} × ${catalog.productsByName.get(product)?.title ?? product}`);
    const recall = recallOf(order, catalog);
    const payment = paymentText(order);
    const back = refundText(order);
    return h("li", { "data-order": order.id },
        h("div.step", null,
            h("a", { href: `/orders/${order.id}` }, titles.join(", ")), h("strong", null, money(order.total))),
        h("p.quiet", null, stateText(order), ", ", when(order.placed, dayAndClock(order.placed))),
        order.payment !== "at-pickup" && h("p.payment-state", { "data-payment": payment.tone }, icon(payment.drawing),
            h("span", null, payment.text),
            payment.page !== null && h("a", { href: `/orders/${order.id}` }, t`Pay now`)),
        back && h("p.payment-state", null, icon("arrow"), h("span", null, back)),
        recall && h("p.lot-alarm", null, icon("warning"), t`Recalled, do not eat it: ${recall}`),
        orderActions(order, context));
}
