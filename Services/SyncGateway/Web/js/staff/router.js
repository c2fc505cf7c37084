/** The routes of the staff's app. Pages do not import this module, so that there are no import cycles. */

/** @type {[RegExp, () => Promise<{show: Function}>, string|null][]} pattern, page, menu item */
const routes = [
    [/^\/$/, () => import("./pages/dashboard.js"), "/"],
    [/^\/plots$/, () => import("./pages/plots.js"), "/plots"],
    [/^\/plots\/([A-Za-z0-9_-]+)$/, () => import("./pages/plot.js"), "/plots"],
    [/^\/stores$/, () => import("./pages/stores.js"), "/stores"],
    [/^\/stores\/([A-Za-z0-9_-]+)$/, () => import("./pages/store.js"), "/stores"],
    [/^\/goods$/, () => import("./pages/goods.js"), "/stores"],
    [/^\/beacons$/, () => import("./pages/beacons.js"), "/stores"],
    [/^\/farm-map$/, () => import("./pages/farm-map.js"), "/stores"],
    [/^\/inventories$/, () => import("./pages/inventories.js"), "/stores"],
    [/^\/inventories\/([A-Za-z0-9_-]+)$/, () => import("./pages/inventory.js"), "/stores"],
    [/^\/inventories\/([A-Za-z0-9_-]+)\/beacons$/, () => import("./pages/beacon-numbers.js"), "/stores"],
    [/^\/stocktakes\/([A-Za-z0-9_-]+)$/, () => import("./pages/stocktake.js"), "/stores"],
    [/^\/(plots|stores)\/([A-Za-z0-9_-]+)\/history(?:\?(.*))?$/, () => import("./pages/history.js"), null],
    [/^\/(plots|lots)\/([A-Za-z0-9_-]+)\/growth(?:\?(.*))?$/, () => import("./pages/growth.js"), null],
    [/^\/lots(?:\?(.*))?$/, () => import("./pages/lots.js"), "/lots"],
    [/^\/lots\/([A-Z0-9-]+)$/, () => import("./pages/lot.js"), "/lots"],
    [/^\/harvest(?:\/([A-Za-z0-9_-]+))?$/, () => import("./pages/harvest.js"), "/lots"],
    [/^\/market(?:\/at\/([A-Za-z0-9_-]+))?$/, () => import("./pages/market-orders.js"), "/market"],
    [/^\/market\/orders\/([A-Za-z0-9_-]+)$/, () => import("./pages/market-order.js"), "/market"],
    [/^\/market\/products$/, () => import("./pages/market-products.js"), "/market"],
    [/^\/market\/products\/([A-Za-z0-9_-]+)$/, () => import("./pages/market-product.js"), "/market"],
    [/^\/market\/stock$/, () => import("./pages/market-stock.js"), "/market"],
    [/^\/market\/promotions$/, () => import("./pages/market-promotions.js"), "/market"],
    [/^\/market\/suggestions$/, () => import("./pages/market-suggestions.js"), "/market"],
    [/^\/market\/places$/, () => import("./pages/market-places.js"), "/market"],
    [/^\/market\/farm(?:\/([A-Za-z0-9_-]+))?$/, () => import("./pages/market-farm.js"), "/market"],
    [/^\/sensors$/, () => import("./pages/sensors.js"), "/sensors"],
    [/^\/alarms$/, () => import("./pages/alarms.js"), "/sensors"],
    [/^\/alarms\/([A-Za-z0-9_-]+)$/, () => import("./pages/alarm-history.js"), "/sensors"],
    [/^\/start-page$/, () => import("./pages/start-page.js"), "/people"],
    [/^\/people$/, () => import("./pages/people.js"), "/people"],
    [/^\/account$/, () => import("./pages/account.js"), null],
    [/^\/audit-log$/, () => import("./pages/audit-log.js"), null],
    [/^\/operations$/, () => import("./pages/operations.js"), "/operations"],
];

/**
 * Finds the page of a path.
 * @param {string} path
 * @returns {{load: () => Promise<{show: Function}>, parameters: string[], section: string|null}|null}
 */
export function routeOf(path) {
    for (const [pattern, load, section] of routes) {
        const found = pattern.exec(path);
        if (found) return { load, parameters: found.slice(1), section };
    }
    return null;
}

/** Loads all pages of a menu item. @param {string} name of the item @returns {Promise<any>} */
export function loadSection(name) {
    return Promise.all(routes.filter(([, , section]) => section === name).map(([, load]) => load()));
}
