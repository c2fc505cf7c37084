/** What a person has looked at, which is sent only if the person has agreed to it in the preferences. */
import { command } from "../common/api.js";
import { newKey } from "../common/idempotency.js";

const Limits = { atOnce: 20, delayMilliseconds: 3_000 };

/** Products that were not sent yet, the latest last. */
const waiting = new Set();

/**
 * Notes that a product's page was opened. Several are sent together; without a network, with the next ones.
 * @param {{id: string}} product @param {import("./catalog.js").Catalog} catalog
 * @param {import("./main.js").Context} context
 */
export function noteView(product, catalog, context) {
    if (!context.me || !catalog.preferences.views) return;
    waiting.delete(product.id);
    waiting.add(product.id);
    setTimeout(() => send().catch(() => undefined), Limits.delayMilliseconds);
}

async function send() {
    const products = [...waiting].slice(-Limits.atOnce);
    if (products.length === 0) return;
    waiting.clear();
    try {
        await command("POST", "/v1/views", { products }, newKey());
    } catch (error) {
        for (const product of products) waiting.add(product);
        throw error;
    }
}

/** Deletes what the farm server has noted. */
export async function forgetViews() {
    waiting.clear();
    await command("DELETE", "/v1/views", null, newKey());
}
