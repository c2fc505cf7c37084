/** The routes of the shop. Pages do not import this module, so that there are no import cycles. */
const name = "([A-Za-z0-9_.-]+)";

/** Pages that ask for passwords, addresses or orders. */
const personal = /^\/(checkout|settings|forgot|reset|sign-in)$/;

/** @type {[RegExp, () => Promise<{show: Function}>, string|null][]} pattern, page, menu item */
const routes = [
    [/^\/$/, () => import("./pages/start.js"), "/"],
    [/^\/directory$/, () => import("./pages/directory.js"), "/directory"],
    [/^\/directory\/(all|map|favourites)$/, () => import("./pages/directory.js"), "/directory"],
    [/^\/directory\/county\/(.+)$/, () => import("./pages/county.js"), "/directory"],
    [new RegExp(`^/farms/${name}$`), () => import("./pages/farm.js"), "/directory"],
    [/^\/shop$/, () => import("./pages/shop.js"), "/shop"],
    [new RegExp(`^/products/${name}$`), () => import("./pages/product.js"), "/shop"],
    [/^\/cart$/, () => import("./pages/cart.js"), "/cart"],
    [/^\/checkout$/, () => import("./pages/checkout.js"), "/cart"],
    [/^\/orders$/, () => import("./pages/orders.js"), "/orders"],
    [new RegExp(`^/orders/${name}$`), () => import("./pages/order.js"), "/orders"],
    [new RegExp(`^/orders/${name}/change$`), () => import("./pages/change-order.js"), "/orders"],
    [/^\/promotions$/, () => import("./pages/promotions.js"), "/shop"],
    [/^\/settings$/, () => import("./pages/settings.js"), null],
    [/^\/forgot$/, () => import("./pages/forgot.js"), null],
    [/^\/reset$/, () => import("./pages/reset.js"), null],
    [/^\/sign-in$/, () => import("./pages/sign-in.js"), null],
];

/**
 * Finds the page of a path.
 * @param {string} path
 * @returns {{load: () => Promise<{show: Function}>, parameters: string[], section: string|null,
 *     isPersonal: boolean}|null}
 */
export function routeOf(path) {
    const plain = path.length > 1 ? path.replace(/\/$/, "") : path;
    for (const [pattern, load, section] of routes) {
        const found = pattern.exec(plain);
        if (found === null) continue;
        return { load, parameters: found.slice(1).map(decoded), section, isPersonal: personal.test(plain) };
    }
    return null;
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
