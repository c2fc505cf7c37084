/**
 * Elements made from data. Text is only ever set as text: nothing that came over the network is read as HTML.
 */

/**
 * @template {string} Name
 * @param {Name} name of the element, with classes: `p.lead.quiet`
 * @param {Record<string, any>|null} [given] attributes; `on…` listeners; false and null leave an attribute out
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

/** @param {Element} parent @param {any[]} children */
export function append(parent, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(child instanceof Node ? child : String(child));
    }
}

/** @param {Element} parent @param {...any} children become all it holds */
export function fill(parent, ...children) {
    parent.replaceChildren();
    append(parent, children);
}

/** @param {string|number} time RFC 3339 or milliseconds @param {string} text @returns {HTMLTimeElement} */
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

/** @returns {string} an id that no other element has */
export function freshID(prefix = "x") {
    lastID += 1;
    return `${prefix}-${lastID}`;
}
