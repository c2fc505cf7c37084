/**
 * What the farm's server answers to a phone that asks for a story.
 */
const Limits = { visitMilliseconds: 20_000, tries: 4, betweenTriesMilliseconds: 1_000 };
/** For all that is asked in one visit: whoever does not answer the first question is not waited for twice. */
const patience = AbortSignal.timeout(Limits.visitMilliseconds);

/** Nobody answered, or not the farm: no network, a server in trouble, the log-in page of a foreign Wi-Fi. */
export class Unreachable extends Error {}

/** The farm's server answered that it will not. */
export class Declined extends Error {
    /** @param {number} status */
    constructor(status) {
        super(`declined with ${status}`);
        this.status = status;
    }
}

/** @returns {Promise<any>} the answer of `/ledger/keys` @throws {Unreachable|Declined} */
export function askForKeys() {
    return ask("/ledger/keys");
}

/**
 * @param {import("../verify/label.js").Label} label
 * @param {string|null} since size of the log at the visit before
 * @returns {Promise<any>} the bundle of the lot's newest story
 * @throws {Unreachable|Declined}
 */
export function askForStory(label, since) {
    const query = new URLSearchParams({ gtin: label.gtin });
    // A signed label proves that its bearer has a box of the lot.
    if (label.kid !== null) query.set("label", location.pathname.slice(1).toUpperCase());
    if (since !== null) query.set("since", since);
    // Staff may read the story of a lot that was neither labelled nor sold.
    return ask(`/v1/lots/${label.lot}/passport?${query}`, "same-origin");
}

/** Asks again while the server says that it will have an answer in a moment. */
async function ask(path, credentials = "omit") {
    for (let attempt = 1; ; attempt += 1) {
        const response = await answer(path, credentials);
        if (response.ok) return body(response);
        const isMomentary = response.status === 503 && attempt < Limits.tries;
        if (!isMomentary && response.status >= 400 && response.status < 500 && response.status !== 429) {
            throw new Declined(response.status);
        }
        if (!isMomentary) throw new Unreachable(`${path}: ${response.status}`);
        await new Promise((resolve) => setTimeout(resolve, Limits.betweenTriesMilliseconds));
    }
}

/** @returns {Promise<Response>} */
async function answer(path, credentials) {
    try {
        return await fetch(path, { cache: "no-store", credentials, redirect: "error", signal: patience });
    } catch {
        throw new Unreachable(path);
    }
}

/** @returns {Promise<any>} */
async function body(response) {
    try {
        return await response.json();
    } catch {
        throw new Unreachable("the answer is no JSON");
    }
}
