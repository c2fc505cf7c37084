/** Elements that pages of the shop and of the staff share: headings, empty states and dialogs. */
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** @param {string} title @param {...any} lead @returns {HTMLElement} the head of a page; its title takes the focus */
export function head(title, ...lead) {
    return h("div.head", null, h("h1", { tabindex: "-1" }, title), lead.length > 0 && h("p.quiet", null, lead));
}

/** @param {string} drawing @param {string} text @param {...any} next what to do about it @returns {HTMLElement} */
export function nothingYet(drawing, text, ...next) {
    return h("div.nothing", null,
        icon(drawing), h("p", null, text), next.length > 0 && h("div.nothing-next", null, next));
}

/**
 * A window over the page, which keeps the focus until it is closed.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement} opened
 */
export function openDialog(title, ...content) {
    const name = h("h2", { id: "dialog-title" }, title);
    const close = h("button.dialog-close", { type: "button", "aria-label": "Close" }, icon("cross"));
    const dialog = h("dialog.dialog", { "aria-labelledby": "dialog-title" },
        h("div.dialog-head", null, name, close), content);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}
