/** What could not be said to a buyer or a payment provider, in words, and what to do instead. */
import { h, when } from "../common/dom.js";
import { counted, dayAndClock, orderNumber } from "../common/format.js";
import { icon } from "../common/icons.js";

const messages = {
    recall: ["The buyer was not written to about the recall.", "Call them, or tell them when they come."],
    payment: ["The buyer got no page to pay on.", "Agree on another way to pay, or call the order off."],
    cancellation: ["The payment provider was not told that this order is not to be paid any more.",
        "Look at the provider’s own pages whether the money came."],
    refund: ["The payment provider did not give the money back.",
        "Give it back yourself, on the provider’s own pages."],
};

const Limits = { milliseconds: 14 * 86_400_000 };

/** @param {any[]} all @returns {any[]} those of the last two weeks: what is older was told otherwise, or is too late */
export function lately(all) {
    return all.filter(({ at }) => Date.now() - Date.parse(at) < Limits.milliseconds);
}

/** @param {any[]} all @param {string} zone @returns {HTMLElement|null} of one order */
export function givenUpAlarm(all, zone) {
    return all.length > 0 && h("div.alarm.given-up", null, icon("warning"), h("ul.rows", { role: "list" },
        all.map((one) => h("li", null, words(one, zone)))));
}

/** @param {any[]} all @param {string} zone @returns {HTMLElement|null} of all orders, folded */
export function givenUpList(all, zone) {
    return all.length > 0 && h("details.fold.card.given-up", null,
        h("summary", null, `${counted(all.length, "message")} could not be sent`),
        h("ul.rows", { role: "list" }, all.map((one) => h("li", null,
            h("a", { href: `#/market/orders/${one.order}` }, `Order ${orderNumber(one.order)}`), words(one, zone)))));
}

function words({ about, reason, at }, zone) {
    const [what, todo] = messages[about];
    return [h("p", null, h("strong", null, what), ` ${todo}`),
        h("p.quiet", null, when(at, dayAndClock(at, zone)), `: ${reason}`)];
}
