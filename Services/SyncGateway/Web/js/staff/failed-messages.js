/** Messages to buyers and payment providers that finally failed, and what the staff can do instead. */
import { h, when } from "../common/dom.js";
import { counted, dayAndClock, orderNumber } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";

const messages = {
    recall: [t`The e-mail to the buyer about the recall was not sent.`,
        t`Call the buyer, or tell them at the pick-up.`],
    payment: [t`The payment page could not be created.`, t`Agree on another way to pay, or cancel the order.`],
    cancellation: [t`The payment provider was not told that this order is cancelled.`,
        t`Check on the provider’s website whether it was paid.`],
    refund: [t`The payment provider did not make the refund.`,
        t`Make the refund yourself on the provider’s website.`],
    alarm: [t`A notification of an alarm was not delivered.`,
        t`Check who is notified, and by which channel, on the page Alarms.`],
};

const Limits = { milliseconds: 14 * 86_400_000 };

/** @param {any[]} all @returns {any[]} the messages of the last two weeks; older ones need no action any more */
export function recentMessages(all) {
    return all.filter(({ at }) => Date.now() - Date.parse(at) < Limits.milliseconds);
}

/** Returns an alarm about the failed messages of one order. @param {any[]} all @param {string} zone */
export function failedMessageAlarm(all, zone) {
    return all.length > 0 && h("div.alarm.given-up", null, icon("warning"), h("ul.rows", { role: "list" },
        all.map((one) => h("li", null, words(one, zone)))));
}

/** Returns a collapsed list of the failed messages of all orders. @param {any[]} all @param {string} zone */
export function failedMessageList(all, zone) {
    return all.length > 0 && h("details.fold.card.given-up", null,
        h("summary", null, t`${counted(all.length, "message")} could not be sent`),
        h("ul.rows", { role: "list" }, all.map((one) => h("li", null,
            one.order && h("a", { href: `#/market/orders/${one.order}` }, t`Order ${orderNumber(one.order)}`),
            words(one, zone)))));
}

function words({ about, reason, at }, zone) {
    const [what, todo] = messages[about];
    return [h("p", null, h("strong", null, what), ` ${todo}`),
        h("p.quiet", null, when(at, dayAndClock(at, zone)), `: ${reason}`)];
}
