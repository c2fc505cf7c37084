/**
 * The gateway's API: JSON in and out, refusals as problem+json, commands with a key that makes repeating them harmless.
 */
const Limits = { pages: 20, pendingTries: 6, pendingMilliseconds: 700, answerMilliseconds: 30_000 };

/** The server has said no (RFC 9457). */
export class Problem extends Error {
    /** @param {number} status @param {{title?: string, detail?: string}} body */
    constructor(status, body) {
        super(body?.detail ?? `The server refused the request (${status}).`);
        this.status = status;
        this.code = body?.title ?? "unknown";
    }

    /** @returns {{field: string, text: string}|null} the member that a detail such as `grams: expected …` names */
    get about() {
        const found = /^([A-Za-z][A-Za-z0-9]*): (.+)$/s.exec(this.message);
        return found ? { field: found[1], text: found[2] } : null;
    }
}

/** Nobody knows whether it was done: no network, a server in trouble, or one that is still at it. */
export class NoAnswer extends Error {}

/** Told when an answer shows that nobody is signed in. */
export const session = new EventTarget();

/** Told when a list is longer than it is read: `cut`, with what it lists and how many of it were read. */
export const lists = new EventTarget();

/**
 * @param {string} path
 * @param {number} [patience] milliseconds after which a silent network counts as none
 * @returns {Promise<any>}
 * @throws {Problem|NoAnswer}
 */
export async function get(path, patience) {
    return read(await ask("GET", path, undefined, undefined, patience));
}

/**
 * The items of a list, page by page; of a very long one those that the server tells first.
 * @param {string} path @param {number} [patience] as with `get`, for each page
 * @returns {Promise<any[]>}
 * @throws {Problem|NoAnswer}
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
 * Asks for something to be done; asks again with the same key while the server says that it is still at it (202), or
 * that something it depends on has not arrived (425).
 * @param {"POST"|"PUT"|"DELETE"} method @param {string} path @param {any} body @param {string} key Idempotency-Key
 * @param {{isQueued?: boolean}} options what was queued by another version of the page is taken without the members
 *     that this server does not know (RFC 7240)
 * @returns {Promise<any>}
 * @throws {Problem|NoAnswer}
 */
export async function command(method, path, body, key, { isQueued = false } = {}) {
    for (let attempt = 1; attempt <= Limits.pendingTries; attempt += 1) {
        const response = await ask(method, path, body, key, undefined, isQueued);
        const isLast = attempt === Limits.pendingTries;
        if (response.status !== 202 && (response.status !== 425 || isLast)) return read(response);
        await new Promise((resolve) => setTimeout(resolve, Limits.pendingMilliseconds * attempt));
    }
    throw new NoAnswer("The server is still working on it. Send it again to see whether it is done.");
}

/** @param {Blob} picture @returns {Promise<{sha256: string}>} by which it is called from now on */
export async function sendPicture(picture) {
    // The same bytes have the same name: sent twice, it is one picture.
    return read(await ask("POST", "/v1/media", picture, `picture-${crypto.randomUUID?.() ?? Date.now()}`));
}

async function ask(method, path, body, key, patience, isQueued = false) {
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
        // An answer that has begun may take its time: a long list comes slowly over a weak network.
        return await (patience === undefined ? answer : Promise.race([answer, silence(patience)]));
    } catch {
        throw new NoAnswer(noAnswer(method));
    }
}

function noAnswer(method) {
    const todo = method === "GET" ? "Try again" : "Keep this page open and try again";
    return `The server does not answer. ${todo} when you have a connection.`;
}

function silence(milliseconds) {
    return new Promise((_, reject) => setTimeout(reject, milliseconds));
}

async function read(response) {
    const body = await response.json().catch((error) => {
        // What broke off is no answer; what is no JSON says nothing more than its status.
        if (!(error instanceof SyntaxError)) throw new NoAnswer(noAnswer("GET"));
        return null;
    });
    if (response.ok) return body ?? {};
    if (response.status === 401) session.dispatchEvent(new Event("lost"));
    if (response.status >= 500 || response.status === 425) {
        throw new NoAnswer(body?.detail ?? "The server is temporarily unavailable. Try again in a moment.");
    }
    throw new Problem(response.status, body);
}
