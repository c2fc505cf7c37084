/** The buyers' part of the outbox: orders and favourites, which are sent as records of `POST /v1/sync`. */
import { alone, forget, fresh, isTemporary, sendWaiting, stored } from "../common/outbox.js";
import { answered, fact, tell, transact } from "../common/storage.js";
import { withMore } from "./cart.js";

const tables = ["orders", "favourites"];
const Limits = { answerMilliseconds: 30_000 };
/** What the server called orders that this tab has sent, by the names they had here. */
const named = new Map();

/** @typedef {import("../common/outbox.js").Waiting} Waiting a change (`created` or `deleted`) of a record */

export { forget };

/** @returns {Promise<Waiting[]>} oldest first */
export function outbox() {
    return stored(tables);
}

/**
 * @param {Waiting[]} rows
 * @param {any} me who is signed in, null if nobody
 * @returns {Waiting[]} what is theirs: a browser may hold what others have promised, too
 */
export function mine(rows, me) {
    return rows.filter((row) => row.person === (me?.person ?? null));
}

/**
 * Writes an order down and empties the cart, both or neither. Another tab may have changed the cart, or ordered it:
 * then nothing is written.
 * @param {{lines: {offer: string, quantity: number}[], pickup: string, payment?: string}} order what the server is told
 * @param {any} shown what the buyer saw: titles, prices, the total
 * @param {string|null} person
 * @returns {Promise<string|null>} its name; null if there is something else in the cart
 */
export async function promiseOrder(order, shown, person) {
    const id = crypto.randomUUID?.() ?? freshName();
    const row = fresh({ id, table: "orders", change: "created", body: order, shown, person });
    const isWritten = await transact(["outbox", "facts"], "readwrite", async (store, facts) => {
        if (JSON.stringify(await answered(facts.get("cart"))) !== JSON.stringify(order.lines)) return false;
        store.put(row);
        facts.delete("cart");
        return true;
    });
    if (!isWritten) return null;
    tell("cart");
    tell("outbox");
    return id;
}

/** @param {string} order @returns {string} the fact that tells which total its buyer saw, where another came of it */
export function shownFor(order) {
    return `shown ${order}`;
}

/** @param {string} id as `promiseOrder` gave it @returns {string|null} what the server calls it */
export function nameOfSent(id) {
    return named.get(id) ?? null;
}

/** @param {{kind: string, name: string}} favourite @param {boolean} isLiked @param {string|null} person */
export async function promiseFavourite({ kind, name }, isLiked, person) {
    const id = freshName();
    const body = { id: `${kind}.${name}`, kind, name };
    const change = isLiked ? "created" : "deleted";
    await transact(["outbox"], "readwrite", async (store) => {
        // Only the last word about a thing counts.
        for (const row of await answered(store.getAll())) {
            if (row.table === "favourites" && row.body.id === body.id) store.delete(row.id);
        }
        store.put(fresh({ id, table: "favourites", change, body, person }));
    });
    tell("outbox");
}

/**
 * What was refused lies in the cart again, both or neither; pressed twice, or in two tabs, it lies there once.
 * @param {Waiting} row
 */
export async function putBack({ id }) {
    await transact(["outbox", "facts"], "readwrite", async (store, facts) => {
        const row = await answered(store.get(id));
        if (!row) return;
        let lines = (await answered(facts.get("cart"))) ?? [];
        for (const { offer, quantity } of row.body.lines) lines = withMore(lines, offer, quantity);
        facts.put(lines, "cart");
        store.delete(id);
    });
    tell("cart");
    tell("outbox");
}

/** @returns {Promise<{sent: number, signIn: boolean}>} `signIn`: somebody has to sign in before orders are sent */
export function flush() {
    return alone(async () => {
        const me = await fact("me");
        const waits = (row) => row.table === "orders" && row.state === "waiting";
        if (me === null) return { sent: 0, signIn: mine(await outbox(), me).some(waits) };
        await adopt(me.person);
        return sendWaiting({ rows: await outbox(), isMine: ({ person }) => person === me.person, send, settle });
    });
}

/** What was written down before anybody had signed in is theirs who sign in first. */
function adopt(person) {
    return transact(["outbox"], "readwrite", async (store) => {
        for (const row of await answered(store.getAll())) {
            if (row.person === null) store.put({ ...row, person });
        }
    });
}

/** @returns {Promise<{status: number, answer: any}|null>} null if nobody answers: the rest is not tried then */
async function send(row) {
    const shape = { created: [], updated: [], deleted: [] };
    const record = row.table === "orders" ? { id: row.id, ...row.body } : row.body;
    shape[row.change].push(row.change === "deleted" ? record.id : record);
    try {
        const response = await fetch("/v1/sync", {
            method: "POST", credentials: "same-origin", cache: "no-store",
            // What a newer page has queued is taken by an older server, without what that does not know.
            headers: {
                "Content-Type": "application/json", "Idempotency-Key": row.id, "Prefer": "handling=lenient",
            },
            // The cookie may be another's by now: the server refuses what is not the caller's.
            body: JSON.stringify({ person: row.person, changes: { [row.table]: shape } }),
            signal: AbortSignal.timeout(Limits.answerMilliseconds),
        });
        const answer = await response.json().catch(() => null);
        if (!response.ok) return isTemporary(response.status) ? null : { status: response.status, answer };
        const result = answer?.results?.[0];
        return Number.isInteger(result?.status) ? result : null;
    } catch {
        return null;
    }
}

/** Writes down what became of it. @returns {Promise<boolean>} whether it was done */
async function settle(row, { status, answer }) {
    const isDone = status < 300;
    await transact(["outbox", "records", "facts"], "readwrite", (store, records, facts) => {
        if (isDone) {
            store.delete(row.id);
            if (row.table === "orders" && answer?.order) {
                named.set(row.id, answer.order);
                records.put({ table: "orders", id: answer.order, body: { id: answer.order, ...answer } });
                const shown = row.shown?.total;
                if (shown && shown.minor !== answer.total?.minor) facts.put(shown, shownFor(answer.order));
            }
        } else if (row.table === "favourites") {
            store.delete(row.id);
        } else {
            const reason = answer?.detail ?? `The server refused the request (${status}).`;
            store.put({ ...row, state: "refused", reason });
        }
    });
    tell("outbox");
    if (isDone) tell("records");
    return isDone;
}

/** @returns {string} 128 random bits */
function freshName() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
