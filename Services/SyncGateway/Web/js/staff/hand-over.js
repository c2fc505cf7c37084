/** The button that marks an order as collected, and its state until the server has accepted it. */
import { fill, h } from "../common/dom.js";
import { orderNumber } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { dismissCollection, pendingCollections, recordCollection } from "./collections.js";
import { trySending } from "./outbox.js";

/**
 * Returns the button of an order, or the state of its pending collection.
 * @param {string} order
 * @param {import("./main.js").Context} context
 * @returns {HTMLElement}
 */
export function collectButton(order, context) {
    const given = pendingCollections().find((row) => row.order === order);
    return given ? pendingState(given, context) : button(order, context);
}

function button(order, context) {
    const place = h("div.form-end", { tabindex: "-1" }, h("button.button", {
        type: "button", "data-hand-out": order, onclick: async () => {
            // The state changes at once, without waiting for the network.
            fill(place, pendingState({ order }, context));
            place.focus({ preventScroll: true });
            await recordCollection(order);
            await trySending();
            const pending = pendingCollections().find((row) => row.order === order);
            fill(place, pending ? pendingState(pending, context) : h("p.quiet", null, icon("check"), t`Collected.`));
            context.announce(!pending ? t`Collected.` : pending.refused ? t`The collection could not be recorded.`
                : t`Collected. It is sent as soon as there is a connection.`);
            // Does nothing if another page or form is in use by then.
            await context.renew();
        },
    }, icon("check"), t`Mark as collected`, h("span.hidden", null, t`, number ${orderNumber(order)}`)));
    return place;
}

/** @param {HTMLElement} page @returns {boolean} whether it shows an outdated collection state of an order */
export function isOutdated(page) {
    const given = new Map(pendingCollections()
        .map(({ order, refused }) => [order, refused ? "refused" : "sent-later"]));
    const ordersWith = (name) => [...page.querySelectorAll(`[data-${name}]`)]
        .map((one) => one.getAttribute(`data-${name}`));
    return ordersWith("hand-out").some((order) => given.has(order))
        || ordersWith("sent-later").some((order) => given.get(order) !== "sent-later")
        || ordersWith("refused").some((order) => given.get(order) !== "refused");
}

/** @param {{order: string, refused?: string}} given @param {import("./main.js").Context} context */
function pendingState({ order, refused }, context) {
    if (!refused) return h("p.pending-state", { "data-sent-later": order }, icon("clock"), t`Collected; not sent yet.`);
    return h("div", { "data-refused": order },
        h("p.lot-alarm", null, icon("warning"), t`The collection could not be recorded: ${refused}`),
        h("div.form-end", null, h("button.button.button-quiet", { type: "button", onclick: async () => {
            await dismissCollection(order);
            await context.refresh();
        } }, t`Dismiss`)));
}
