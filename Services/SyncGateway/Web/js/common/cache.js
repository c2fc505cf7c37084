/**
 * Cached API responses for offline use, such as the orders at a market stall (local storage). They are shown with their
 * age and deleted at sign-out.
 */
import { get, list, NoResponse } from "./api.js";

const prefix = "furrow-kept ";
const pictures = { cache: "furrow-staff-pictures", limit: 20 };

/** The time in milliseconds to wait for the network when there is a cached response. */
export const slowNetworkMilliseconds = 6_000;

/** Reads several lists, from the server or from the cache; `since` is the time of the oldest cached one. */
export class CachedLists {
    /** @type {number|null} milliseconds since 1970; null if all lists are from the server */
    since = null;

    /** Reads a list. @param {string} path @returns {Promise<any[]>} the current items, or the cached ones */
    async list(path) {
        return (await this.#read(path, async (wait) => ({ items: await list(path, wait) }))).items;
    }

    /** Reads one page in the same way. @param {string} path @returns {Promise<{items: any[], next: string|null}>} */
    async page(path) {
        const { items, next = null } = await this.#read(path, (wait) => get(path, wait));
        return { items, next: this.since === null ? next : null };
    }

    async #read(path, load) {
        const last = readCache(path);
        try {
            const answer = await load(last === null ? undefined : slowNetworkMilliseconds);
            writeCache(path, { ...answer, at: Date.now() });
            return answer;
        } catch (error) {
            if (last === null || !(error instanceof NoResponse)) throw error;
            this.since = Math.min(this.since ?? last.at, last.at);
            return last;
        }
    }
}

/** Stores a value. @param {string} name @param {any} value null deletes it */
export function writeCache(name, value) {
    try {
        if (value === null) localStorage.removeItem(prefix + name);
        else localStorage.setItem(prefix + name, JSON.stringify(value));
    } catch {
        // Storage is off or full: nothing is cached.
    }
}

/** @param {string} name @returns {any} the stored value; null if there is none */
export function readCache(name) {
    try {
        return JSON.parse(localStorage.getItem(prefix + name) ?? "null");
    } catch {
        return null;
    }
}

/** Deletes everything, at sign-out. */
export function clearCache() {
    try {
        for (const name of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
            localStorage.removeItem(name);
        }
    } catch {
        // Storage is off: nothing is cached.
    }
    if ("caches" in globalThis) caches.delete(pictures.cache).catch((error) => console.warn(error));
}

/** Stores a picture that a page needs without a network, and deletes the oldest. @param {string} sha of its file */
export async function cachePicture(sha) {
    // Plain http has no caches: then the picture is there with a network only.
    if (!("caches" in globalThis)) return;
    try {
        const cache = await caches.open(pictures.cache);
        if (await cache.match(`/media/${sha}`)) return;
        const known = await cache.keys();
        const old = known.slice(0, Math.max(0, known.length - pictures.limit + 1));
        await Promise.all(old.map((one) => cache.delete(one)));
        await cache.add(`/media/${sha}`);
    } catch (error) {
        console.warn(error);
    }
}
