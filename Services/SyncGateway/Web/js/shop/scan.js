/** Codes that buyers scan: labels lead to their story, the numbers of goods to the product. */
import { h } from "../common/dom.js";
import { t } from "../common/language.js";
import { openScanner } from "../scan/scanner.js";
import { targetOf } from "../scan/target.js";
import { go } from "./address.js";

/** @param {import("./catalog.js").Catalog} catalog */
export function scanCode(catalog) {
    openScanner({
        title: t`Scan a code`,
        lead: t`The code on a box leads to its story, which your phone checks. Nothing of the picture leaves this
            device.`,
        onText: async (text) => follow(targetOf(text, location.origin), catalog),
    });
}

/** Returns what is shown; null if another page is shown now. @param {import("../scan/target.js").Target} target */
function follow(target, catalog) {
    const { kind, text, path = "/", host } = target;
    if (kind === "number") {
        const product = catalog.products.find(({ offers }) => offers.some(({ gtin }) => isSame(gtin, text)));
        if (!product) return t`Nothing in this shop has the number ${text}.`;
        go(`/products/${product.id}`);
        return null;
    }
    if (kind === "text") return h("span", null, t`The code says: `, h("span.code", null, text));
    const there = h("a", { href: text, rel: "noopener noreferrer" }, t`Open ${host}`);
    if (kind === "page") {
        if (host) return h("span", null, t`This is not a label of a farm. `, there);
        location.href = path;
        return null;
    }
    if (host) {
        return h("span", null, t`This label names ${host}. `, h("a", { href: path }, t`Check it here`), " · ", there);
    }
    location.href = path;
    return null;
}

function isSame(gtin, digits) {
    return Boolean(gtin) && gtin.padStart(14, "0") === digits.padStart(14, "0");
}
