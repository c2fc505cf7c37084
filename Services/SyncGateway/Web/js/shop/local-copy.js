/**
 * Nodes: places that pass on the farm's pages where there is no network. A page that comes from a node asks for no
 * password and sends no order: its operator is not the farm.
 */
import { h } from "../common/dom.js";
import { dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";

/** @typedef {{at: number, farm: string|null}} Node when the farm sent what is stored, and the farm's address */

/** @param {Response} response @returns {Node|null} the node that has passed it on (RFC 9211); null if it is the farm */
export function nodeOf(response) {
    if (!response.headers.get("Cache-Status")?.startsWith("furrow-node")) return null;
    const link = /^<([^>]+)>; rel="canonical"/.exec(response.headers.get("Link") ?? "");
    const age = Number(response.headers.get("Age")) || 0;
    return { at: Date.now() - age * 1_000, farm: link === null ? null : new URL(link[1]).origin };
}

/** @param {Node} node @returns {string} the line of the status bar */
export function copyText(node) {
    return t`This is a local copy of the shop, as of ${dayAndClock(node.at)}. Sign in and order at the farm’s own
        address.`;
}

/** @param {Node} node @returns {HTMLElement|false} the link to this page at the farm */
export function farmLink(node, text = t`Open it`) {
    return node.farm !== null && h("a", { href: node.farm + location.pathname }, text);
}

/** Returns the page that is shown at a node instead of one that asks for personal data. @param {Node} node */
export function farmOnlyPage(node) {
    const title = t`Open this page at the farm`;
    return {
        title, name: "farm-only",
        content: [
            h("h1", { tabindex: "-1" }, title),
            h("p", null, t`This is a local copy of the shop, for places without a network. It is not the farm: do not
                enter a password or an order here.`),
            h("p", null, farmLink(node, t`Continue at the farm’s own address`)),
        ],
    };
}
