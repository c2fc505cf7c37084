/** Builds DOM elements. Values are inserted as text nodes and attributes, never parsed as HTML. */

/**
 * Creates an element.
 * @template {string} Name
 * @param {Name} name of the element, with classes: `p.lead.quiet`
 * @param {Record<string, any>|null} [given] attributes and `on…` listeners; false and null omit an attribute
 * @param {...(Node|string|number|null|false|undefined|any[])} children
 * @returns {ElementNamed<Name>}
 */
export function h(name, given, ...children) {
    const [tag, ...classes] = name.split(".");
    const element = /** @type {ElementNamed<Name>} */ (document.createElement(tag));
    if (classes.length > 0) element.className = classes.join(" ");
    for (const [key, value] of Object.entries(given ?? {})) set(element, key, value);
    append(element, children);
    return element;
}

/** Appends nodes and texts; null, undefined and false are skipped. @param {Element} parent @param {any[]} children */
export function append(parent, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(child instanceof Node ? child : String(child));
    }
}

/** Replaces all children of an element. @param {Element} parent @param {...any} children */
export function fill(parent, ...children) {
    parent.replaceChildren();
    append(parent, children);
}

/**
 * Returns a `<time>` element.
 * @param {string|number} time RFC 3339, or milliseconds since 1970 @param {string} text @returns {HTMLTimeElement}
 */
export function when(time, text) {
    return h("time", { datetime: new Date(time).toISOString() }, text);
}

function set(element, key, value) {
    if (value === false || value === null || value === undefined) return;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
}

let lastID = 0;

/** @returns {string} a new element id, unique in this document */
export function freshID(prefix = "x") {
    lastID += 1;
    return `${prefix}-${lastID}`;
}
