/** The page of an order: contents, buyer, payment, and the actions of the staff. */
import { command, get, list, NoResponse, Problem } from "../../common/api.js";
import { readCache, slowNetworkMilliseconds } from "../../common/cache.js";
import { h, when } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, dayAndClock, money, moneyDigits, orderNumber, stillOwed } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head } from "../../common/parts.js";
import { failedMessageAlarm } from "../failed-messages.js";
import { collectButton } from "../hand-over.js";
import { loadMarket } from "../market.js";
import { asOf, facts, noSuch } from "../parts.js";

const states = { placed: t`Waiting for pick-up`, collected: t`Collected`, cancelled: t`Cancelled` };
const reasons = {
    buyer: t`by the buyer`, staff: t`by the farm`, unpaid: t`it was not paid in time`,
    recalled: t`its lot was recalled`,
};
const steps = {
    requested: t`requested`, opened: t`payment page opened`, authorized: t`authorised`, captured: t`paid`,
    failed: t`failed`, voided: t`cancelled`,
};

/** Returns the page. @param {import("../main.js").Context} context @param {string} name */
export async function show(context, name) {
    const market = await loadMarket("farms", "products", "places");
    const { order, since } = await found(name);
    if (order === null) return noSuch(t`order`, "#/market", t`All orders`);
    const failedMessages = since === null
        ? (await list("/v1/messages/given-up")).filter((one) => one.order === name) : [];
    return {
        title: t`Order ${orderNumber(name)}`, name: "market-order",
        content: [
            h("p.crumbs", null, h("a", { href: "#/market" }, t`Orders`)),
            head(t`Order ${orderNumber(name)}`, states[order.state] ?? order.state,
                order.reason && `: ${reasons[order.reason] ?? order.reason}`),
            asOf(since), failedMessageAlarm(failedMessages, market.zone()),
            h("div.columns", null,
                h("div", null,
                    h("section.card", null, h("h2", null, t`Contents`), contents(order, market)),
                    h("section.card.block", null, h("h2", null, t`Payment`), payments(order, market))),
                h("div", null,
                    h("section.card", null, h("h2", null, t`Buyer`), buyer(order, market)),
                    context.can("grower") && since === null && h("div.folds", null, actions(order, context)))),
        ],
    };
}

/** @returns {Promise<{order: any, since?: number|null}>} the order, or its cached list entry; null if unknown */
async function found(name) {
    const last = readCache("/v1/sales?state=placed");
    const order = last?.items.find((one) => one.order === name);
    try {
        return { order: await get(`/v1/sales/${name}`, order && slowNetworkMilliseconds), since: null };
    } catch (error) {
        if (error instanceof Problem && error.status === 404) return { order: null };
        if (!order || !(error instanceof NoResponse)) throw error;
        return { order: { ...order, contact: { name: order.name } }, since: last.at };
    }
}

function contents(order, market) {
    return [
        h("ul.rows.sale-contents", { role: "list" }, order.lines.map((line) => row(line, market))),
        h("p.total", null, t`Total `, h("strong", null, money(order.total))),
    ];
}

function row({ product, lot, quantity, boxes, amount }, market) {
    return h("li.step", null,
        h("span", null, `${quantity} × ${market.title(product)}`,
            lot && [" ", h("a.code", { href: `#/lots/${lot}` }, lot)],
            boxes > 0 && h("span.quiet", null, ` ${counted(boxes, "box", "boxes")}`)),
        h("span", null, money(amount)));
}

function buyer(order, market) {
    const { name, telephone, address } = order.contact ?? {};
    const place = market.placesByName.get(order.pickup);
    return facts([
        [t`Name`, name ?? t`Not given`],
        [t`Telephone`, telephone && h("a", { href: `tel:${telephone.replace(/[^+\d]/g, "")}` }, telephone)],
        [t`Address`, address],
        [t`Pick-up point`, market.placeTitle(order.pickup)],
        [t`When`, place?.hours],
        [t`Ordered`, when(order.placed, dayAndClock(order.placed, market.zone()))],
        [t`Full number`, h("span.code", null, order.order)],
    ]);
}

function payments(order, market) {
    const isPaid = (amount) => (amount?.minor ?? 0) > 0;
    return [
        facts([
            [t`Method`, order.payment === "at-pickup" ? t`Cash on pickup` : t`Online`],
            [t`Paid`, money(order.paid)],
            [t`Refunded`, isPaid(order.refunded) && money(order.refunded)],
            [t`Payment due`, order.payBefore && when(
                order.payBefore, dayAndClock(order.payBefore, market.zone()))],
        ]),
        (order.payments ?? []).length > 0 && h("ul.rows", { role: "list" }, order.payments.map((payment) =>
            h("li.step", null, h("span", null, steps[payment.state] ?? payment.state),
                h("span", null, money(payment.amount))))),
    ];
}

function actions(order, context) {
    const left = order.paid.minor - order.refunded.minor;
    const isOpen = order.state === "placed";
    const owed = stillOwed(order);
    const canBeGiven = isOpen && (order.payment === "at-pickup" || owed.minor === 0);
    return [
        canBeGiven && h("div.card", null, h("h2", null, t`Collection`),
            owed.minor > 0 && h("p", null, t`Take `, h("strong", null, money(owed)), t` in cash first.`),
            collectButton(order.order, context)),
        isOpen && fold(t`Cancel order`, callOff(order, left, context)),
        left > 0 && fold(t`Refund`, refund(order, left, context)),
    ];
}

function fold(title, content) {
    return h("details.fold.card", null, h("summary", null, title), content);
}

function callOff(order, left, context) {
    return form({
        name: `call-off ${order.order}`, submit: t`Cancel order`, keepsDraft: true,
        lead: left > 0 ? t`The payment is refunded: ${money({ minor: left, currency: order.total.currency })}.`
            : t`Its boxes are for sale again at once.`,
        fields: [{ name: "reason", label: t`Reason`, required: true, hint: t`Shown to the buyer.`,
            attributes: { maxlength: 200 } }],
        send: (values, key) => command("POST", `/v1/sales/${order.order}/cancellations`, values, key),
        done: () => {
            context.announce(t`The order was cancelled.`);
            return context.refresh();
        },
    });
}

function refund(order, left, context) {
    const { currency } = order.total;
    const unit = 10 ** moneyDigits(currency);
    return form({
        name: `refund ${order.order}`, submit: t`Refund`, keepsDraft: true,
        lead: order.payment === "at-pickup" ? t`Give the cash back; this records it.`
            : t`It is refunded by the original payment method.`,
        fields: [
            { name: "amount", label: t`Amount in ${currency}`, type: "number", required: true,
                hint: t`At most ${money({ minor: left, currency })}.`,
                attributes: { min: 1 / unit, max: left / unit, step: 1 / unit },
                convert: (amount) => ({ minor: Math.round(amount * unit), currency }) },
            { name: "reason", label: t`Reason`, required: true, attributes: { maxlength: 200 } },
        ],
        send: (values, key) => command("POST", `/v1/sales/${order.order}/refunds`, values, key),
        done: () => {
            context.announce(t`The refund was requested.`);
            return context.refresh();
        },
    });
}
