/**
 * Where in the shop this browser stands. Addresses are real ones, so that they can be shared and kept.
 */

/** @param {string} address path and query; a page of the shop */
export function go(address) {
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Goes on from a page that has done its work, without a step back to it. Whoever went elsewhere meanwhile stays there.
 * @param {string} from the path of that page
 * @param {string} address in its place
 */
export function goInstead(from, address) {
    if (location.pathname !== from) return;
    history.replaceState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Takes a click on a link to a page of the shop, which then needs no new document.
 * @param {MouseEvent} event
 * @param {(path: string) => boolean} isOurs
 * @returns {boolean}
 */
export function takeClick(event, isOurs) {
    if (event.defaultPrevented || event.button !== 0) return false;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
    const link = event.target instanceof Element
        ? /** @type {HTMLAnchorElement} */ (event.target.closest("a[href]")) : null;
    if (!link || link.target || link.hasAttribute("download")) return false;
    // Links of a drawing have another kind of `href`.
    const url = new URL(link.getAttribute("href"), location.href);
    if (url.origin !== location.origin || !isOurs(url.pathname)) return false;
    if (url.hash !== "") return false;
    event.preventDefault();
    go(url.pathname + url.search);
    return true;
}
