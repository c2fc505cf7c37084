/** Texts about the state of an order and its payment. */
import { clock, money } from "../common/format.js";
import { t } from "../common/language.js";

const words = { placed: t`Ordered`, collected: t`Collected`, cancelled: t`Cancelled` };
const reasons = {
    buyer: t`by you`, staff: t`by the farm`, unpaid: t`it was not paid in time`,
    recalled: t`something in it was recalled`,
};

/** @param {OrderRecord} order @returns {string} `Cancelled: by you` */
export function stateText(order) {
    const why = order.state === "cancelled" && order.reason ? `: ${reasons[order.reason] ?? order.reason}` : "";
    return (words[order.state] ?? order.state) + why;
}

/**
 * Returns the state of an order's payment.
 * @param {OrderRecord} order
 * @returns {{drawing: string, tone: "good"|"note"|"bad", text: string, page: string|null, isOpen: boolean,
 *     canTryAgain: boolean}} `page`: the address of the payment page; `isOpen`: the state will change
 */
export function paymentText(order) {
    /** @type {Partial<OrderPayment>} */
    const newest = order.payments?.at(-1) ?? {};
    const { state = "requested", page = null } = newest;
    const paid = order.paid?.minor ?? 0;
    const result = (drawing, tone, text, more = {}) => (
        { drawing, tone, text, page: null, isOpen: false, canTryAgain: false, ...more });
    if (paid > 0) return result("check", "good", t`Paid: ${money(order.paid)}.`);
    if (order.state === "cancelled") return result("info", "note", t`Nothing was paid.`);
    if (order.payment === "at-pickup") {
        return result("card", "note", t`Cash on pickup.`);
    }
    const until = order.payBefore ? t` until ${clock(order.payBefore)}` : "";
    if (state === "failed" || state === "voided") {
        return result("warning", "bad",
            t`The payment failed. Your boxes are reserved${until}: try again, or cancel this order.`,
            { canTryAgain: true });
    }
    if (state === "authorized") {
        return result("clock", "note", t`The payment is authorised. The farm is waiting for the money.`,
            { isOpen: true });
    }
    if (page === null) {
        return result("clock", "note", t`Not paid yet. The payment page is being created …`, { isOpen: true });
    }
    return result("clock", "note", t`Not paid yet. Your boxes are reserved${until}.`, { page, isOpen: true });
}

/** @param {OrderRecord} order @returns {number} the refunds, returned or only decided, in minor units */
export function refundedMinor(order) {
    return order.refunded?.minor ?? 0;
}

/** @param {OrderRecord} order @returns {string|null} the state of its refund; null if there is none */
export function refundText(order) {
    const back = order.returned?.minor ?? 0;
    const due = refundedMinor(order);
    const amount = (minor) => money({ minor, currency: order.total.currency });
    if (due === 0) return null;
    return due > back ? t`${amount(due - back)} is being refunded.` : t`${amount(back)} was refunded.`;
}

/**
 * Returns the reason of a recall of one of the order's lots. The order has its own mark, as lots may be deleted.
 * @param {OrderRecord} order
 * @param {import("./catalog.js").Catalog} catalog
 * @returns {string|null} null if nothing was recalled
 */
export function recallOf(order, catalog) {
    const reasons = order.lines.map(({ lot }) => catalog.lots.get(lot)?.recalled ?? null);
    return order.recalled ?? reasons.find((reason) => reason !== null) ?? null;
}
