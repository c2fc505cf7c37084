/**
 * Lists that are needed where there is no network, such as the orders at a market stall or the lots in a shed: the last
 * answer is kept until somebody signs out, and told with its age.
 */
import { get, list, NoAnswer } from "./api.js";

const prefix = "furrow-kept ";

/** How many milliseconds a silent network is waited for where there is something to show without it. */
export const patience = 6_000;

/** One look at several lists; `since` tells how old the oldest of them is. */
export class Kept {
    /** @type {number|null} milliseconds since 1970; null if all of it is of now */
    since = null;

    /** @param {string} path @returns {Promise<any[]>} what the server says, or what it said last */
    async list(path) {
        return (await this.#read(path, async (wait) => ({ items: await list(path, wait) }))).items;
    }

    /** @param {string} path @returns {Promise<{items: any[], next: string|null}>} one page, in the same way */
    async page(path) {
        const { items, next = null } = await this.#read(path, (wait) => get(path, wait));
        return { items, next: this.since === null ? next : null };
    }

    async #read(path, ask) {
        const last = recall(path);
        try {
            const answer = await ask(last === null ? undefined : patience);
            keep(path, { ...answer, at: Date.now() });
            return answer;
        } catch (error) {
            if (last === null || !(error instanceof NoAnswer)) throw error;
            this.since = Math.min(this.since ?? last.at, last.at);
            return last;
        }
    }
}

/** @param {string} name @param {any} value null forgets it */
export function keep(name, value) {
    try {
        if (value === null) localStorage.removeItem(prefix + name);
        else localStorage.setItem(prefix + name, JSON.stringify(value));
    } catch {
        // Storage is off or full: then this needs the network.
    }
}

/** @param {string} name @returns {any} null if nothing is kept */
export function recall(name) {
    try {
        return JSON.parse(localStorage.getItem(prefix + name) ?? "null");
    } catch {
        return null;
    }
}

/** Nobody is signed in any more: nothing of what they saw stays. */
export function forgetKept() {
    try {
        for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            localStorage.removeItem(name);
        }
    } catch {
        // Where storage is off nothing was kept.
    }
}
