/** Recalled orders. Every page shows them until the recall is dismissed on this device. */
import { all, readValue, saveValue } from "../common/storage.js";

const Limits = { known: 500 };
const key = "known recalls";

/** @returns {Promise<any[]>} recalled orders that are not dismissed yet */
export async function openRecalls() {
    const known = new Set((await readValue(key)) ?? []);
    return (await all("orders")).filter((order) => order.recalled && !known.has(order.id));
}

/** Dismisses the recall of an order. @param {OrderRecord} order */
export async function dismissRecall(order) {
    await saveValue(key, [...((await readValue(key)) ?? []), order.id].slice(-Limits.known));
}
