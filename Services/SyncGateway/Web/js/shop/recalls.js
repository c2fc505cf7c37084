/** Recalls of what somebody has bought: told on every page of this device until somebody here says that they know. */
import { all, fact, keepFact } from "../common/storage.js";

const Limits = { known: 500 };
const key = "known recalls";

/** @returns {Promise<any[]>} the orders something of which was recalled, and nobody here has said that they know */
export async function untoldRecalls() {
    const known = new Set((await fact(key)) ?? []);
    return (await all("orders")).filter((order) => order.recalled && !known.has(order.id));
}

/** @param {any} order somebody knows of its recall */
export async function know(order) {
    await keepFact(key, [...((await fact(key)) ?? []), order.id].slice(-Limits.known));
}
