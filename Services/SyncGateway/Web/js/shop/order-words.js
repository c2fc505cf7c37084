/** How an order stands, in words. */

const words = { placed: "Ordered", collected: "Collected", cancelled: "Cancelled" };
const reasons = {
    buyer: "by you", staff: "by the farm", unpaid: "it was not paid in time", recalled: "something in it was recalled",
};

/** @param {any} order @returns {string} */
export function stateWords(order) {
    const why = order.state === "cancelled" && order.reason ? `: ${reasons[order.reason] ?? order.reason}` : "";
    return (words[order.state] ?? order.state) + why;
}

/** @param {any} order @param {import("./catalog.js").Catalog} catalog @returns {string|null} why not to eat it */
export function recallOf(order, catalog) {
    return order.lines.map(({ lot }) => catalog.lots.get(lot)?.recalled ?? null).find((reason) => reason !== null)
        ?? null;
}
