/** What could not be said to a buyer or a payment provider, in words, and what to do instead. */
import { h, when } from "../common/dom.js";
import { counted, dayAndClock, orderNumber } from "../common/format.js";
import { icon } from "../common/icons.js";

const messages = {
    recall: ["The e-mail to the buyer about the recall was not sent.", "Call the buyer, or tell them at the pick-up."],
    payment: ["The payment page could not be created.", "Agree on another way to pay, or cancel the order."],
    cancellation: ["The payment provider was not told that this order is cancelled.",
        "Check on the provider’s website whether it was paid."],
    refund: ["The payment provider did not make the refund.",
        "Make the refund yourself on the provider’s website."],
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
