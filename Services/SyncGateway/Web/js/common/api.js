/** The client of the gateway's API: JSON bodies, errors as problem+json, commands with an idempotency key. */
import { t } from "./language.js";

const Limits = { pages: 20, pendingTries: 6, pendingMilliseconds: 700, answerMilliseconds: 30_000 };

/** The server refused the request (RFC 9457). */
export class Problem extends Error {
    /** @param {number} status @param {{title?: string, detail?: string}} body */
    constructor(status, body) {
        super(body?.detail ?? t`The server refused the request (${status}).`);
        this.status = status;
        this.code = body?.title ?? "unknown";
    }

    /** @returns {{field: string, text: string}|null} the body's member that the detail names: `grams: expected …` */
    get about() {
        const found = /^([A-Za-z][A-Za-z0-9]*): (.+)$/s.exec(this.message);
        return found ? { field: found[1], text: found[2] } : null;
    }
}

/** The outcome is unknown: no network, a server error, or a command that is still running. */
export class NoResponse extends Error {}

/** Dispatches `lost` when a response shows that the session has ended. */
export const session = new EventTarget();

/** Dispatches `cut` when a list has more items than are read; the detail has its name and the items read. */
export const lists = new EventTarget();

/**
 * Sends a GET request.
 * @param {string} path
 * @param {number} [patience] milliseconds to wait for the start of a response
 * @returns {Promise<any>} the body
 * @throws {Problem|NoResponse}
 */
export async function get(path, patience) {
    return read(await request("GET", path, undefined, undefined, patience));
}

/**
 * Reads all pages of a list, up to a limit.
 * @param {string} path @param {number} [patience] as with `get`, for each page
 * @returns {Promise<any[]>} the items
 * @throws {Problem|NoResponse}
 */
export async function list(path, patience) {
    const all = [];
    let after = null;
    for (let page = 0; page < Limits.pages; page += 1) {
        const address = new URL(path, location.origin);
        if (after !== null) address.searchParams.set("after", after);
        const answer = await get(address.pathname + address.search, patience);
        all.push(...(answer.items ?? []));
        after = answer.next ?? null;
        if (after === null) return all;
    }
    const what = new URL(path, location.origin).pathname.split("/").at(-1);
    lists.dispatchEvent(new CustomEvent("cut", { detail: { what, count: all.length } }));
    return all;
}

/**
 * Sends a command. Repeats it with the same key while the server answers 202 (still running) or 425 (an event that it
 * depends on has not arrived).
 * @param {"POST"|"PUT"|"DELETE"} method @param {string} path @param {any} body @param {string} key Idempotency-Key
 * @param {{isQueued?: boolean}} options `isQueued`: the command may come from another version of the page, so the
 *     server ignores unknown members (`Prefer: handling=lenient`, RFC 7240)
 * @returns {Promise<any>} the body of the response
 * @throws {Problem|NoResponse}
 */
export async function command(method, path, body, key, { isQueued = false } = {}) {
    for (let attempt = 1; attempt <= Limits.pendingTries; attempt += 1) {
        const response = await request(method, path, body, key, undefined, isQueued);
        const isLast = attempt === Limits.pendingTries;
        if (response.status !== 202 && (response.status !== 425 || isLast)) return read(response);
        await new Promise((resolve) => setTimeout(resolve, Limits.pendingMilliseconds * attempt));
    }
    throw new NoResponse(t`The server is still working on it. Send it again to see whether it is done.`);
}

/**
 * Uploads a picture.
 * @param {Blob} picture
 * @returns {Promise<{sha256: string, thumbnail?: string}>} the digests that name the picture and its small copy
 * @throws {Problem|NoResponse}
 */
export async function sendPicture(picture) {
    // The digest of the bytes is the picture's name, so uploading it twice is harmless.
    return read(await request("POST", "/v1/media", picture, `picture-${crypto.randomUUID?.() ?? Date.now()}`));
}

/**
 * Sends a photograph of a place; it is recorded once, however often it is sent.
 * @param {Blob} picture @param {string} place `plot/p1` @returns {Promise<{photograph: string}>}
 */
export async function sendPhotograph(picture, place) {
    const key = `photograph-${crypto.randomUUID?.() ?? Date.now()}`;
    return read(await request("POST", `/v1/photographs?place=${encodeURIComponent(place)}`, picture, key));
}

async function request(method, path, body, key, patience, isQueued = false) {
    const headers = { Accept: "application/json" };
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (isQueued) headers.Prefer = "handling=lenient";
    const isFile = body instanceof Blob;
    if (isFile) headers["Content-Type"] = "application/octet-stream";
    else if (body !== undefined && body !== null) headers["Content-Type"] = "application/json";
    const answer = fetch(path, {
        method, headers, signal: AbortSignal.timeout(Limits.answerMilliseconds), credentials: "same-origin",
        cache: "no-store", body: isFile ? body : headers["Content-Type"] ? JSON.stringify(body) : undefined,
    });
    try {
        // `patience` limits the time until the headers arrive, not the body: a long list is slow on a weak network.
        return await (patience === undefined ? answer : Promise.race([answer, silence(patience)]));
    } catch {
        throw new NoResponse(noResponse(method));
    }
}

function noResponse(method) {
    const todo = method === "GET" ? t`Try again` : t`Keep this page open and try again`;
    return t`The server does not answer. ${todo} when you have a connection.`;
}

function silence(milliseconds) {
    return new Promise((_, reject) => setTimeout(reject, milliseconds));
}

async function read(response) {
    const body = await response.json().catch((error) => {
        // An interrupted body counts as no response; a body that is not JSON leaves the status alone.
        if (!(error instanceof SyntaxError)) throw new NoResponse(noResponse("GET"));
        return null;
    });
    if (response.ok) return body ?? {};
    if (response.status === 401) session.dispatchEvent(new Event("lost"));
    if (response.status >= 500 || response.status === 425) {
        throw new NoResponse(body?.detail ?? t`The server is temporarily unavailable. Try again in a moment.`);
    }
    throw new Problem(response.status, body);
}
