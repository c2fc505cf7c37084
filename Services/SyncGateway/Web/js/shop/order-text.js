/** How an order and its money stand, in words. */
import { clock, money } from "../common/format.js";

const words = { placed: "Ordered", collected: "Collected", cancelled: "Cancelled" };
const reasons = {
    buyer: "by you", staff: "by the farm", unpaid: "it was not paid in time", recalled: "something in it was recalled",
};

/** @param {any} order @returns {string} */
export function stateWords(order) {
    const why = order.state === "cancelled" && order.reason ? `: ${reasons[order.reason] ?? order.reason}` : "";
    return (words[order.state] ?? order.state) + why;
}

/**
 * @param {any} order
 * @returns {{drawing: string, tone: "good"|"note"|"bad", text: string, page: string|null, isOpen: boolean,
 *     canTryAgain: boolean}} how its payment stands; `page` is where it can be made now, `isOpen` that something is
 *     still to come of it
 */
export function paymentWords(order) {
    const { state = "requested", page = null } = order.paying ?? order.payments?.at(-1) ?? {};
    const paid = order.paid?.minor ?? 0;
    const told = (drawing, tone, text, more = {}) => (
        { drawing, tone, text, page: null, isOpen: false, canTryAgain: false, ...more });
    if (paid > 0) return told("check", "good", `Paid: ${money(order.paid)}.`);
    if (order.state === "cancelled") return told("info", "note", "Nothing was paid.");
    if (order.payment === "at-pickup") {
        return told("card", "note", "Cash on pickup.");
    }
    const until = order.payBefore ? ` until ${clock(order.payBefore)}` : "";
    if (state === "failed" || state === "voided") {
        return told("warning", "bad",
            `The payment failed. Your boxes are reserved${until}: try again, or cancel this order.`,
            { canTryAgain: true });
    }
    if (state === "authorized") {
        return told("clock", "note", "The payment is authorised. The farm is waiting for the money.", { isOpen: true });
    }
    if (page === null) {
        return told("clock", "note", "Not paid yet. The payment page is being created …", { isOpen: true });
    }
    return told("clock", "note", `Not paid yet. Your boxes are reserved${until}.`, { page, isOpen: true });
}

/** @param {any} order @returns {number} how much of what was paid has gone back or is on its way */
export function goneBack(order) {
    return Math.max(order.refunded?.minor ?? 0, order.goesBack?.minor ?? 0);
}

/** @param {any} order @returns {string|null} what became of money that goes back */
export function refundWords(order) {
    const back = order.refunded?.minor ?? 0;
    const due = goneBack(order);
    const amount = (minor) => money({ minor, currency: order.total.currency });
    if (due === 0) return null;
    return due > back ? `${amount(due - back)} is being refunded.` : `${amount(back)} was refunded.`;
}

/**
 * What was in it may not be any more: the order itself knows, too.
 * @param {any} order
 * @param {import("./catalog.js").Catalog} catalog
 * @returns {string|null} why not to eat it
 */
export function recallOf(order, catalog) {
    const reasons = order.lines.map(({ lot }) => catalog.lots.get(lot)?.recalled ?? null);
    return order.recalled ?? reasons.find((reason) => reason !== null) ?? null;
}
