/**
 * Pieces that several staff pages are made of.
 */
import { h, when } from "../dom.js";
import { beyondLimit, dayAndClock, measured, quantitiesOfPlaces, quantityName, recently } from "../format.js";
import { icon } from "../icons.js";

/** @param {string} title @param {...any} lead @returns {HTMLElement} the head of a page; its title takes the focus */
export function head(title, ...lead) {
    return h("div.head", null, h("h1", { tabindex: "-1" }, title), lead.length > 0 && h("p.quiet", null, lead));
}

/** @param {number|null} since @returns {HTMLElement|null} that there is no connection, and how old this is */
export function asOf(since) {
    return since !== null && h("p.as-of", null, icon("offline"), h("span", null,
        "No connection. This is how things stood on ", when(since, dayAndClock(since)), "."));
}

/** @param {string} drawing @param {string} text @param {...any} next what to do about it @returns {HTMLElement} */
export function nothingYet(drawing, text, ...next) {
    return h("div.nothing", null,
        icon(drawing), h("p", null, text), next.length > 0 && h("div.nothing-next", null, next));
}

/**
 * What is shown where there is nothing of that name.
 * @param {string} what `plot` @param {string} path of all of them @param {string} link its text
 * @returns {{title: string, content: any[]}}
 */
export function noSuch(what, path, link) {
    const title = `No such ${what}`;
    const way = h("a", { href: path }, link);
    return { title, content: [head(title), nothingYet("info", `There is no such ${what}.`, way)] };
}

/** @param {[string, any][]} rows @returns {HTMLElement} those that have a value */
export function facts(rows) {
    return h("dl.facts", null, rows.filter(([, value]) => Boolean(value))
        .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

/**
 * Said where something was heard that cannot be used yet.
 * @param {string} what it is about
 * @returns {HTMLElement}
 */
export function waitingNote(what) {
    return h("p.lot-alarm.waiting", null, icon("clock"),
        `${what} could not be used yet and is waiting: there may be more to know than is shown here.`);
}

/**
 * The newest value of each quantity at a place.
 * @param {Record<string, {value: number, unit: string, at: string}>} latest
 * @param {string} zone
 * @returns {HTMLElement}
 */
export function latestValues(latest, zone) {
    const names = quantitiesOfPlaces(Object.keys(latest ?? {}));
    if (names.length === 0) return h("p.quiet", null, "No sensor yet.");
    return h("dl.latest", null, names.map((quantity) => {
        const { value, unit, at } = latest[quantity];
        return h("div", { "data-quantity": quantity },
            h("dt", null, quantityName(quantity)),
            h("dd", null, h("strong", null, measured(value, quantity, unit)),
                h("span.quiet", null, when(at, recently(at, zone)))));
    }));
}

/**
 * @param {{place: string, quantity: string, value: number, limit?: number}} alarm
 * @param {string} title of the place
 * @returns {string}
 */
export function alarmSentence({ quantity, value, limit }, title) {
    const told = Number.isFinite(limit) ? beyondLimit(value, limit, quantity) : measured(value, quantity);
    return `${title}: ${quantityName(quantity).toLowerCase()} ${told}`;
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

/** @param {string} title @returns {string} a name that the API accepts: lower case letters, digits, hyphens */
export function shortName(title) {
    const plain = title.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40);
}

/** @param {string} wished @param {Set<string>} taken @returns {string} the name, or the next free one like it */
export function freeName(wished, taken) {
    const base = wished === "" ? "x" : wished;
    for (let number = 1; ; number += 1) {
        const name = number === 1 ? base : `${base.slice(0, 36)}-${number}`;
        if (!taken.has(name)) return name;
    }
}
