/** Replaces content and restores the focus. */
import { fill } from "../common/dom.js";

/**
 * Replaces the children of an element. The focus stays on the same link, button or heading; if that is gone, it moves
 * to the heading.
 * @param {Element} parent @param {...any} children
 */
export function fillKeepingFocus(parent, ...children) {
    const selector = parent.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
    fill(parent, ...children);
    if (selector === null) return;
    (parent.querySelector(selector) ?? parent.querySelector("h1[tabindex]"))?.focus({ preventScroll: true });
}

/** @returns {string|null} a selector of the element after the refresh: by its key, link address or heading */
function selectorOf(element) {
    const { key } = element.dataset;
    if (key) return `[data-key="${CSS.escape(key)}"]`;
    const address = element.getAttribute("href");
    if (address !== null) return `a[href="${CSS.escape(address)}"]`;
    return element.tagName === "H1" ? "h1" : null;
}
