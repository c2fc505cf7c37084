/** The button that gives an order out, and what is said until the server has taken it. */
import { fill, h } from "../common/dom.js";
import { orderNumber } from "../common/format.js";
import { icon } from "../common/icons.js";
import { forgetGiven, givenOut, giveOut } from "./collections.js";
import { trySending } from "./outbox.js";

/**
 * @param {string} order
 * @param {import("./main.js").Context} context
 * @returns {HTMLElement} the button, or what is said
 */
export function handOver(order, context) {
    const given = givenOut().find((row) => row.order === order);
    return given ? waits(given, context) : button(order, context);
}

function button(order, context) {
    const place = h("div.form-end", { tabindex: "-1" }, h("button.button", {
        type: "button", "data-hand-out": order, onclick: async () => {
            // Whoever stands there sees at once that it was pressed, however long the network takes.
            fill(place, waits({ order }, context));
            place.focus({ preventScroll: true });
            await giveOut(order);
            await trySending();
            const left = givenOut().find((row) => row.order === order);
            fill(place, left ? waits(left, context) : h("p.quiet", null, icon("check"), "Collected."));
            context.announce(!left ? "Collected." : left.refused ? "The collection could not be recorded."
                : "Collected. It is sent as soon as there is a connection.");
            // Whoever went on to something else meanwhile is not disturbed.
            await context.renew();
        },
    }, icon("check"), "Mark as collected", h("span.hidden", null, `, number ${orderNumber(order)}`)));
    return place;
}

/** @param {HTMLElement} page @returns {boolean} whether it tells of an order what is not so any more */
export function isOutdated(page) {
    const given = new Map(givenOut().map(({ order, refused }) => [order, refused ? "refused" : "sent-later"]));
    const tells = (name) => [...page.querySelectorAll(`[data-${name}]`)].map((one) => one.getAttribute(`data-${name}`));
    return tells("hand-out").some((order) => given.has(order))
        || tells("sent-later").some((order) => given.get(order) !== "sent-later")
        || tells("refused").some((order) => given.get(order) !== "refused");
}

/** @param {{order: string, refused?: string}} given @param {import("./main.js").Context} context */
function waits({ order, refused }, context) {
    if (!refused) return h("p.pending-state", { "data-sent-later": order }, icon("clock"), "Collected; not sent yet.");
    return h("div", { "data-refused": order },
        h("p.lot-alarm", null, icon("warning"), `The collection could not be recorded: ${refused}`),
        h("div.form-end", null, h("button.button.button-quiet", { type: "button", onclick: async () => {
            await forgetGiven(order);
            await context.refresh();
        } }, "Dismiss")));
}
