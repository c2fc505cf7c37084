/** The button that gives an order out, and what is said until the server has taken it. */
import { h } from "../dom.js";
import { orderNumber } from "../format.js";
import { icon } from "../icons.js";
import { forgetGiven, givenOut, giveOut, sendGivenOut } from "./handing-out.js";

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
    return h("div.form-end", null, h("button.button", {
        type: "button", "data-hand-out": order, onclick: async () => {
            giveOut(order);
            await sendGivenOut();
            const left = givenOut().find((row) => row.order === order);
            context.announce(!left ? "Given out." : left.refused ? "It could not be written down as given out."
                : "Given out. It is sent as soon as there is a connection.");
            await context.refresh();
        },
    }, icon("check"), "Give it out", h("span.hidden", null, `, number ${orderNumber(order)}`)));
}

function waits({ order, refused }, context) {
    if (!refused) return h("p.pending-state", null, icon("clock"), "Given out; not sent yet.");
    return h("div", null,
        h("p.lot-alarm", null, icon("warning"), `It could not be written down as given out: ${refused}`),
        h("div.form-end", null, h("button.button.button-quiet", { type: "button", onclick: () => {
            forgetGiven(order);
            context.refresh();
        } }, "I have seen it")));
}
