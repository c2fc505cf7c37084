/** Addresses of the shop: real paths, so that they can be shared and bookmarked. */

/** Navigates to a page of the shop. @param {string} address path and query */
export function go(address) {
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Replaces a finished page in the history. Does nothing if another page is shown by now.
 * @param {string} from the path of the finished page
 * @param {string} address of the next page
 */
export function replaceAddress(from, address) {
    if (location.pathname !== from) return;
    history.replaceState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
}

/**
 * Handles a click on a link to a page of the shop without loading a new document.
 * @param {MouseEvent} event
 * @param {(path: string) => boolean} isOurs whether a path is a page of the shop
 * @returns {boolean} whether the click was handled
 */
export function handleLinkClick(event, isOurs) {
    if (event.defaultPrevented || event.button !== 0) return false;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
    const link = event.target instanceof Element
        ? /** @type {HTMLAnchorElement} */ (event.target.closest("a[href]")) : null;
    if (!link || link.target || link.hasAttribute("download")) return false;
    // The `href` property of an SVG link is not a string, so the attribute is read.
    const url = new URL(link.getAttribute("href"), location.href);
    if (url.origin !== location.origin || !isOurs(url.pathname)) return false;
    if (url.hash !== "") return false;
    event.preventDefault();
    go(url.pathname + url.search);
    return true;
}
