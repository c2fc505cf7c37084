/** The buyers' part of the outbox: orders, favourites and showings, sent as records of `POST /v1/sync`. */
import { t } from "../common/language.js";
import { isTemporary, newEntry, readEntries, removeEntry, sendWaiting, withSendLock } from "../common/outbox.js";
import { notifyChange, readValue, requestResult, transact } from "../common/storage.js";
import { withMore } from "./cart.js";

const tables = ["orders", "favourites", "showings"];
const Limits = { answerMilliseconds: 30_000 };
/** The server's ids of orders that this tab has sent, by their local ids. */
const named = new Map();

/** @typedef {import("../common/outbox.js").OutboxEntry} OutboxEntry a change (`created` or `deleted`) of a record */

export { removeEntry };

/** @returns {Promise<OutboxEntry[]>} all entries, oldest first */
export function outbox() {
    return readEntries(tables);
}

/**
 * Returns the entries of the signed-in person. A browser may store entries of other persons, too.
 * @param {OutboxEntry[]} rows
 * @param {any} me the person, or null
 * @returns {OutboxEntry[]}
 */
export function entriesOf(rows, me) {
    return rows.filter((row) => row.person === (me?.person ?? null));
}

/**
 * Stores an order and empties the cart in one transaction. Stores nothing if another tab has changed the cart.
 * @param {{lines: {offer: string, quantity: number}[], pickup: string, payment?: string}} order the request body
 * @param {any} shown titles, prices and total that the buyer saw
 * @param {string|null} person
 * @returns {Promise<string|null>} the local id; null if the cart has changed
 */
export async function queueOrder(order, shown, person) {
    const id = crypto.randomUUID?.() ?? newID();
    const row = newEntry({ id, table: "orders", change: "created", body: order, shown, person });
    const isWritten = await transact(["outbox", "facts"], "readwrite", async (store, facts) => {
        if (JSON.stringify(await requestResult(facts.get("cart"))) !== JSON.stringify(order.lines)) return false;
        store.put(row);
        facts.delete("cart");
        return true;
    });
    if (!isWritten) return null;
    notifyChange("cart");
    notifyChange("outbox");
    return id;
}

/** @param {string} order @returns {string} the key of the total that the buyer saw, if the server's total differs */
export function shownTotalKey(order) {
    return `shown ${order}`;
}

/** @param {string} id as `queueOrder` returned it @returns {string|null} the server's id, once the order was sent */
export function serverIDOf(id) {
    return named.get(id) ?? null;
}

/**
 * Stores a change of a favourite.
 * @param {{kind: string, name: string}} favourite @param {boolean} isLiked @param {string|null} person
 */
export async function queueFavourite({ kind, name }, isLiked, person) {
    const id = newID();
    const body = { id: `${kind}.${name}`, kind, name };
    const change = isLiked ? "created" : "deleted";
    await transact(["outbox"], "readwrite", async (store) => {
        // A newer change of the same favourite replaces an older one.
        for (const row of await requestResult(store.getAll())) {
            if (row.table === "favourites" && row.body.id === body.id) store.delete(row.id);
        }
        store.put(newEntry({ id, table: "favourites", change, body, person }));
    });
    notifyChange("outbox");
}

/** Stores that promotions were shown to a person, or held back. @param {any[]} promotions @param {string} person */
export async function queueShowings(promotions, person) {
    await transact(["outbox"], "readwrite", (store) => {
        for (const { id, isHeldBack } of promotions) {
            const body = { id, heldBack: isHeldBack };
            store.put(newEntry({ id: newID(), table: "showings", change: "created", body, person }));
        }
    });
    notifyChange("outbox");
}

/**
 * Moves a refused order back to the cart in one transaction, so that a second call changes nothing.
 * @param {OutboxEntry} row
 */
export async function moveToCart({ id }) {
    await transact(["outbox", "facts"], "readwrite", async (store, facts) => {
        const row = await requestResult(store.get(id));
        if (!row) return;
        let lines = (await requestResult(facts.get("cart"))) ?? [];
        for (const { offer, quantity } of row.body.lines) lines = withMore(lines, offer, quantity);
        facts.put(lines, "cart");
        store.delete(id);
    });
    notifyChange("cart");
    notifyChange("outbox");
}

/** Sends the outbox. @returns {Promise<{sent: number, signIn: boolean}>} `signIn`: orders need a sign-in first */
export function flush() {
    return withSendLock(async () => {
        const me = await readValue("me");
        const waits = (row) => row.table === "orders" && row.state === "waiting";
        if (me === null) return { sent: 0, signIn: entriesOf(await outbox(), me).some(waits) };
        await claimFor(me.person);
        return sendWaiting({ rows: await outbox(), isMine: ({ person }) => person === me.person, send, settle });
    });
}

/** Assigns entries without an owner to the person who signs in first. */
function claimFor(person) {
    return transact(["outbox"], "readwrite", async (store) => {
        for (const row of await requestResult(store.getAll())) {
            if (row.person === null) store.put({ ...row, person });
        }
    });
}

/** @returns {Promise<{status: number, answer: any}|null>} null if there is no response */
async function send(row) {
    const shape = { created: [], updated: [], deleted: [] };
    const record = row.table === "orders" ? { id: row.id, ...row.body } : row.body;
    shape[row.change].push(row.change === "deleted" ? record.id : record);
    try {
        const response = await fetch("/v1/sync", {
            method: "POST", credentials: "same-origin", cache: "no-store",
            // An older server accepts entries of a newer page and ignores unknown members.
            headers: {
                "Content-Type": "application/json", "Idempotency-Key": row.id, "Prefer": "handling=lenient",
            },
            // The session may be another person's by now: `person` makes the server refuse the entry then.
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

/** Stores the outcome of an entry. @returns {Promise<boolean>} whether it succeeded */
async function settle(row, { status, answer }) {
    const isDone = status < 300;
    await transact(["outbox", "records", "facts"], "readwrite", (store, records, facts) => {
        if (isDone) {
            store.delete(row.id);
            if (row.table === "orders" && answer?.order) {
                named.set(row.id, answer.order);
                records.put({ table: "orders", id: answer.order, body: { id: answer.order, ...answer } });
                const shown = row.shown?.total;
                if (shown && shown.minor !== answer.total?.minor) facts.put(shown, shownTotalKey(answer.order));
            }
            if (row.table === "favourites") saveFavourite(records, row);
        } else if (row.table !== "orders") {
            store.delete(row.id);
        } else {
            const reason = answer?.detail ?? t`The server refused the request (${status}).`;
            store.put({ ...row, state: "refused", reason });
        }
    });
    notifyChange("outbox");
    if (isDone && row.table !== "showings") notifyChange("records");
    return isDone;
}

/** Changes the record as the server did, because the next pull may be older than the change. */
function saveFavourite(records, { change, body }) {
    if (change === "deleted") records.delete(["favourites", body.id]);
    else records.put({ table: "favourites", id: body.id, body });
}

/** @returns {string} 128 random bits */
function newID() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
