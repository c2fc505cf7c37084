/** Addresses of the staff's pages: `/staff#/…`, so that one HTML file serves all of them. */

/** @returns {string} the path after the `#`; `/` if there is none */
export function currentPath() {
    return location.hash.startsWith("#/") ? decodeURI(location.hash.slice(1)) : "/";
}

/** Navigates to a page; reloads it if it is shown already. @param {string} path */
export function go(path) {
    if (currentPath() === path) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = path;
}
