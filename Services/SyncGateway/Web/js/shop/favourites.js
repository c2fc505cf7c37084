/** The heart on farms and products. It works without a network and without an account. */
import { h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { tell } from "../common/storage.js";
import { promiseFavourite } from "./outbox.js";

/** @param {string} kind `farm`, `product` @param {string} name @param {boolean} isLiked from now on */
export async function like(kind, name, isLiked, context) {
    await promiseFavourite({ kind, name }, isLiked, context.me?.person ?? null);
    tell("records");
    context.announce(isLiked ? "Added to your favourites." : "Removed from your favourites.");
    context.sync();
}

/** @returns {HTMLElement} a button that is pressed while the thing is liked */
export function heart(kind, thing, catalog, context) {
    const isLiked = catalog.liked.has(`${kind}.${thing.id}`);
    return h("button.heart", {
        type: "button", "aria-pressed": String(isLiked), "aria-label": `Favourite: ${thing.title}`,
        "data-key": `heart ${kind} ${thing.id}`, onclick: () => like(kind, thing.id, !isLiked, context),
    }, icon("heart"), h("span", { "aria-hidden": "true" }, isLiked ? "Favourite" : "Add to favourites"));
}
