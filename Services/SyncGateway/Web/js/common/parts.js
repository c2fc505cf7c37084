/** Elements that pages of the shop and of the staff share: headings, empty states and dialogs. */
import { freshID, h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

/** Returns the heading of a page, which can take the focus. @param {string} title @param {...any} lead */
export function head(title, ...lead) {
    return h("div.head", null, h("h1", { tabindex: "-1" }, title), lead.length > 0 && h("p.quiet", null, lead));
}

/** Returns an empty state. @param {string} drawing an icon @param {string} text @param {...any} next what to do next */
export function nothingYet(drawing, text, ...next) {
    return h("div.nothing", null,
        icon(drawing), h("p", null, text), next.length > 0 && h("div.nothing-next", null, next));
}

/**
 * Opens a modal dialog, which removes itself when it is closed.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, ...content) {
    const name = h("h2", { id: freshID("dialog-title") }, title);
    const close = h("button.dialog-close", { type: "button", "aria-label": t`Close` }, icon("cross"));
    const dialog = h("dialog.dialog", { "aria-labelledby": name.id },
        h("div.dialog-head", null, name, close), content);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}
