/** Favourite farms and products. They work offline and without an account. */
import { h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { notifyChange } from "../common/storage.js";
import { queueFavourite } from "./outbox.js";

/** Adds or removes a favourite. @param {string} kind `farm`, `product` @param {string} name @param {boolean} isLiked */
export async function setFavourite(kind, name, isLiked, context) {
    await queueFavourite({ kind, name }, isLiked, context.me?.person ?? null);
    notifyChange("records");
    context.announce(isLiked ? t`Added to your favourites.` : t`Removed from your favourites.`);
    context.sync();
}

/** @returns {HTMLElement} a toggle button of a favourite */
export function favouriteButton(kind, thing, catalog, context) {
    const isLiked = catalog.liked.has(`${kind}.${thing.id}`);
    return h("button.heart", {
        type: "button", "aria-pressed": String(isLiked), "aria-label": t`Favourite: ${thing.title}`,
        "data-key": `heart ${kind} ${thing.id}`, onclick: () => setFavourite(kind, thing.id, !isLiked, context),
    }, icon("heart"), h("span", { "aria-hidden": "true" }, isLiked ? t`Favourite` : t`Add to favourites`));
}
