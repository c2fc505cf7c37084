/** The requests of a story page to the farm's server. */
const Limits = {
    visitMilliseconds: 20_000, tries: 4, betweenTriesMilliseconds: 1_000, betweenLooksMilliseconds: 3_000,
};
/** One time limit for all requests of a visit, so that an unresponsive server is waited for once. */
const timeLimit = AbortSignal.timeout(Limits.visitMilliseconds);

/** There is no valid response: no network, a server error, or the login page of a Wi-Fi network. */
export class Unreachable extends Error {}

/** A node without a network has stored the request and sends it later. */
export class Deferred extends Unreachable {
    /** @param {string} id the node's number of the request */
    constructor(id) {
        super(`deferred as ${id}`);
        this.id = id;
    }
}

/** The server refused the request. */
export class Declined extends Error {
    /** @param {number} status */
    constructor(status) {
        super(`declined with ${status}`);
        this.status = status;
    }
}

/** The seconds since the farm sent the oldest response that came through a node; null if all came from the farm. */
let nodeAge = null;

/** @returns {number|null} the age of what a node has passed on, in seconds; null if the farm itself responded */
export function ageThroughNode() {
    return nodeAge;
}

/** @returns {Promise<any>} the response of `/ledger/keys` @throws {Unreachable|Declined} */
export function fetchKeys() {
    return request("/ledger/keys");
}

/**
 * Requests a lot's story.
 * @param {import("../verify/label.js").Label} label
 * @param {string|null} since the size of the log at the previous visit
 * @returns {Promise<any>} the bundle of the newest story
 * @throws {Unreachable|Declined}
 */
export function fetchStory(label, since) {
    const query = new URLSearchParams({ gtin: label.gtin });
    // A signed label shows that the visitor has a box of the lot.
    if (label.kid !== null) query.set("label", location.pathname.slice(1).toUpperCase());
    if (since !== null) query.set("since", since);
    // The session lets staff read the story of a lot that is neither labelled nor sold.
    return request(`/v1/lots/${label.lot}/passport?${query}`, "same-origin");
}

/**
 * Requests the proof of a stocktake's report, and its lines, with the session of a member of the staff.
 * @param {string} stocktake @param {string|null} since the size of the log at the previous visit
 * @returns {Promise<{bundle: any, lines: string[]}>}
 * @throws {Unreachable|Declined}
 */
export async function fetchReport(stocktake, since) {
    const path = `/v1/stocktakes/${encodeURIComponent(stocktake)}`;
    const query = since === null ? "" : `?since=${since}`;
    const bundle = await request(`${path}/proof${query}`, "same-origin");
    const lines = [];
    for (let next = 0; next !== null;) {
        const page = await request(`${path}/lines?after=${next}`, "same-origin");
        lines.push(...page.items);
        next = page.next ?? null;
    }
    return { bundle, lines };
}

/** Sends a request; repeats it while the server answers 503 (the story is being prepared). */
async function request(path, credentials = "omit") {
    for (let attempt = 1; ; attempt += 1) {
        const response = await respond(path, credentials);
        noteNode(response);
        if (response.ok) return body(response);
        if (response.status === 504) await throwIfDeferred(response);
        const isMomentary = response.status === 503 && attempt < Limits.tries;
        if (!isMomentary && response.status >= 400 && response.status < 500 && response.status !== 429) {
            throw new Declined(response.status);
        }
        if (!isMomentary) throw new Unreachable(`${path}: ${response.status}`);
        await new Promise((resolve) => setTimeout(resolve, Limits.betweenTriesMilliseconds));
    }
}

/** Notes the age of a response that a node has stored (RFC 9211). */
function noteNode(response) {
    if (!response.headers.get("Cache-Status")?.startsWith("furrow-node")) return;
    nodeAge = Math.max(nodeAge ?? 0, Number(response.headers.get("Age")) || 0);
}

/** @throws {Deferred} if the response is a node's, which sends the request later */
async function throwIfDeferred(response) {
    const problem = await body(response);
    if (typeof problem?.request === "string") throw new Deferred(problem.request);
}

/**
 * Waits until a node has sent a deferred request.
 * @param {string} id @returns {Promise<void>} resolves when the request can be repeated
 */
export async function untilSent(id) {
    for (;;) {
        await new Promise((resolve) => setTimeout(resolve, Limits.betweenLooksMilliseconds));
        try {
            const response = await fetch(`/.well-known/furrow-node/requests/${id}`, { cache: "no-store" });
            const state = (await response.json()).state;
            if (state !== "waiting") return;
        } catch {
            // The node does not respond at the moment.
        }
    }
}

/** @returns {Promise<Response>} */
async function respond(path, credentials) {
    try {
        return await fetch(path, { cache: "no-store", credentials, redirect: "error", signal: timeLimit });
    } catch {
        throw new Unreachable(path);
    }
}

/** @returns {Promise<any>} */
async function body(response) {
    try {
        return await response.json();
    } catch {
        throw new Unreachable("the response is not JSON");
    }
}
