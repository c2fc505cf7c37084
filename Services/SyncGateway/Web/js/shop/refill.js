/**
 * What a part of the page holds, made anew: whoever was on one of its links, its buttons or its title stays there; if
 * it is gone, they come to the title.
 */
import { fill } from "../common/dom.js";

/** @param {Element} parent @param {...any} children become all it holds */
export function refill(parent, ...children) {
    const sign = parent.contains(document.activeElement) ? signOf(document.activeElement) : null;
    fill(parent, ...children);
    if (sign === null) return;
    (parent.querySelector(sign) ?? parent.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });
}

/** @returns {string|null} how an element is found again: a link leads where it led, a button has a key */
function signOf(element) {
    const { key } = element.dataset;
    if (key) return `[data-key="${CSS.escape(key)}"]`;
    const address = element.getAttribute("href");
    if (address !== null) return `a[href="${CSS.escape(address)}"]`;
    return element.tagName === "H1" ? "h1" : null;
}
