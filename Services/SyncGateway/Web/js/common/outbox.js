/**
 * Commands that this browser still has to send: orders and favourites of buyers, work and collections of the staff.
 * Each is stored under its idempotency key before it is sent for the first time. The server does a command once for
 * each key, so a lost response, a closed tab or a second tab only mean that it is sent again.
 */
import { answered, exclusively, tell, transact } from "./storage.js";

/** Commands that the server knew nothing of when they were sent last: they are sent behind all others. */
const unknown = new Set();
/** Each unknown outcome has kept the server waiting; after two of them the rest waits for the next time. */
const Limits = { atOnce: 50, unknown: 2 };

/**
 * @typedef {object} Waiting
 * @property {string} id the idempotency key; an order's is also its record's until the server has named it
 * @property {"orders"|"favourites"|"work"|"collections"} table
 * @property {any} body what is sent
 * @property {string} [change] of the record, where a record is sent
 * @property {string} [path] where it is sent to, unless its table says so
 * @property {any} [shown] what people saw when they wrote it down
 * @property {number} made milliseconds since 1970
 * @property {"waiting"|"refused"} state
 * @property {string} [reason] why it was refused, for people
 * @property {string|null} person whose it is; null until somebody has signed in
 */

/**
 * @typedef {object} Result
 * @property {number} status of HTTP
 * @property {any} answer the response, or the problem
 */

/** @param {string[]} tables @returns {Promise<Waiting[]>} oldest first */
export async function stored(tables) {
    const rows = await transact(["outbox"], "readonly", (store) => answered(store.getAll()));
    return rows.filter(({ table }) => tables.includes(table)).sort((left, right) => left.made - right.made);
}

/** @param {Omit<Waiting, "made"|"state">} row @returns {Waiting} as it is stored before it is sent */
export function fresh(row) {
    return { ...row, made: Date.now(), state: "waiting" };
}

/** @param {Waiting} row when this resolves it is on the disk */
export async function keep(row) {
    await transact(["outbox"], "readwrite", (store) => {
        store.put(row);
    });
    tell("outbox");
}

/** @param {string} id of a command that is not wanted any more */
export async function forget(id) {
    await transact(["outbox"], "readwrite", (store) => {
        store.delete(id);
    });
    tell("outbox");
}

/**
 * Sends what waits, the oldest first and in one tab at a time, until the server is silent or wants a sign-in.
 * @param {object} given
 * @param {Waiting[]} given.rows
 * @param {(row: Waiting) => boolean} given.isMine
 * @param {(row: Waiting) => Promise<Result|null>} given.send null if the server is silent
 * @param {(row: Waiting, result: Result) => Promise<boolean>} given.settle stores the outcome; whether it was done
 * @returns {Promise<{sent: number, signIn: boolean}>} `signIn`: the server wants to know who sends
 */
export async function sendWaiting({ rows: all, isMine, send, settle }) {
    const rows = all.filter((row) => row.state === "waiting" && isMine(row));
    rows.sort((left, right) => Number(unknown.has(left.id)) - Number(unknown.has(right.id)));
    let sent = 0;
    let troubles = 0;
    for (const row of rows.slice(0, Limits.atOnce)) {
        if (!isMine(row)) break;
        const result = await send(row);
        if (result === null) break;
        if (result.status === 401) return { sent, signIn: true };
        if (isUnknown(result)) {
            unknown.add(row.id);
            troubles += 1;
            if (troubles === Limits.unknown) break;
            continue;
        }
        unknown.delete(row.id);
        if (await settle(row, result)) sent += 1;
    }
    return { sent, signIn: false };
}

/** @template T @param {() => Promise<T>} body @returns {Promise<T>} no other tab sends while it runs */
export function alone(body) {
    return exclusively("furrow-outbox", body);
}

/** The outcome is not known: the same request is sent again, and what stands behind it does not wait for it. */
function isUnknown({ status }) {
    return status === 429 || status === 202 || isTemporary(status);
}

/** Too early (an event is not consumed yet), or a server in trouble: the same request can succeed later. */
export function isTemporary(status) {
    return status === 425 || status >= 500;
}
