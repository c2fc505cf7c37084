/**
 * Where in the app this browser stands. Addresses are `/staff#/…`, so that one file serves them all.
 */

/** @returns {string} the address after the `#`, `/` if there is none */
export function currentPath() {
    return location.hash.startsWith("#/") ? decodeURI(location.hash.slice(1)) : "/";
}

/** @param {string} path */
export function go(path) {
    if (currentPath() === path) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = path;
}
