/**
 * The staff's part of the outbox: activities, harvests, collections and counts, also recorded without a network. A
 * command belongs to the person who gave it and is never sent in the name of another.
 */
import { command, NoResponse, Problem } from "../common/api.js";
import { readCache, slowNetworkMilliseconds } from "../common/cache.js";
import { newEntry, readEntries, removeEntry, saveEntry, sendWaiting, withSendLock } from "../common/outbox.js";
import { onChange } from "../common/storage.js";

const tables = ["work", "collections", "counts"];
/** The time that the first page waits for IndexedDB. Entries that are read later appear then. */
const Limits = { openMilliseconds: 1_500 };

/** A copy in memory, oldest first. @type {import("../common/outbox.js").OutboxEntry[]} */
let rows = [];
/** Commands that could not be stored; they last as long as the page. */
const volatile = new Map();
let isStoreOff = false;
/** Promises of forms that wait for the outcome of their command, by its key. */
const openForms = new Map();

const me = () => readCache("me")?.person ?? null;

/**
 * @param {string} table
 * @returns {import("../common/outbox.js").OutboxEntry[]} the entries of the person who is signed in, oldest first
 */
export function pendingEntries(table) {
    return rows.filter((row) => row.table === table && row.person === me());
}

/** Reads the entries. Call it before the first page is shown. */
export async function openOutbox() {
    const opened = moveOldEntries().then(reload);
    await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, Limits.openMilliseconds))]);
}

async function reload() {
    rows = [...await ifStored(() => readEntries(tables)) ?? [], ...volatile.values()];
    for (const listener of listeners) listener();
}

/** Uses IndexedDB unless it has failed before. @returns {Promise<any>} null if it fails or has failed */
async function ifStored(body) {
    if (isStoreOff) return null;
    try {
        return await body();
    } catch {
        isStoreOff = true;
        return null;
    }
}

const listeners = new Set();
onChange((what) => {
    if (what === "outbox") reload();
});

/** @param {() => void} listener called when the entries change @returns {() => void} removes the listener */
export function onPendingChange(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/**
 * Stores a command. When the promise resolves it survives a reload, unless `isVolatile` returns true for it.
 * @param {{id: string, table: "work"|"collections"|"counts", path: string, body: any, shown: any}} given
 * @returns {Promise<import("../common/outbox.js").OutboxEntry>}
 */
export async function add(given) {
    const row = newEntry({ ...given, person: me() });
    await write(row);
    return row;
}

async function write(row) {
    await ifStored(() => saveEntry(row));
    if (isStoreOff) volatile.set(row.id, row);
    await reload();
}

/** @param {string} id @returns {boolean} whether the command is in memory only and a reload loses it */
export function isVolatile(id) {
    return volatile.has(id);
}

/** Removes a command that has succeeded or whose refusal was read. @param {string} id */
export async function drop(id) {
    volatile.delete(id);
    await ifStored(() => removeEntry(id));
    await reload();
}

/**
 * Stores a command of a form and sends it.
 * @param {{key: string, table?: "work"|"counts", path: string, body: any, shown: any}} given
 * @returns {Promise<any>} the response; null if there was none in time and the command stays in the outbox
 * @throws {Problem} if the server refuses the command, which is then removed
 */
export async function submit({ key, table = "work", path, body, shown }) {
    const { id } = await add({ id: key, table, path, body, shown });
    const outcome = new Promise((resolve, reject) => openForms.set(id, { resolve, reject }));
    outcome.catch(() => {});
    try {
        return await Promise.race([outcome, sendAll().then(() => null), silence()]);
    } finally {
        openForms.delete(id);
    }
}

/** @returns {Promise<null>} resolves after the time limit for a slow network */
function silence() {
    return new Promise((resolve) => setTimeout(resolve, slowNetworkMilliseconds, null));
}

let running = null;
let next = null;

/** Sends all entries added so far. @returns {Promise<void>} resolves when all have a response, or none arrives */
export function sendAll() {
    if (running === null) {
        running = sendOnce().finally(() => {
            running = null;
        });
        return running;
    }
    next ??= running.catch(() => {}).then(() => {
        next = null;
        return sendAll();
    });
    return next;
}

/** The same as `sendAll`, with the time limit for a slow network. @returns {Promise<void>} */
export function trySending() {
    return Promise.race([sendAll(), silence()]);
}

async function sendOnce() {
    const person = me();
    if (person === null || !rows.some((row) => row.person === person && row.state === "waiting")) return;
    await withSendLock(async () => {
        await reload();
        await sendWaiting({ rows, isMine: (row) => row.person === person && me() === person, send, settle });
    });
}

/**
 * @param {import("../common/outbox.js").OutboxEntry} row
 * @returns {Promise<import("../common/outbox.js").Result|null>} null if there is no response
 */
async function send(row) {
    try {
        // The session may be another person's by now: `person` makes the server refuse the command then.
        const body = { ...row.body, person: row.person };
        return { status: 200, answer: await command("POST", row.path, body, row.id, { isQueued: true }) };
    } catch (error) {
        if (error instanceof NoResponse) return null;
        if (!(error instanceof Problem)) throw error;
        return { status: error.status, answer: { title: error.code, detail: error.message } };
    }
}

/** @param {import("../common/outbox.js").OutboxEntry} row @param {import("../common/outbox.js").Result} result */
async function settle(row, { status, answer }) {
    const form = openForms.get(row.id);
    if (status < 300) {
        await drop(row.id);
        form?.resolve(answer);
        return true;
    }
    if (form) {
        await drop(row.id);
        form.reject(new Problem(status, answer));
    } else {
        await write({ ...row, state: "refused", reason: answer.detail });
    }
    return false;
}

/** Moves collections that older builds stored in local storage; the oldest ones have no person. */
async function moveOldEntries() {
    const name = "furrow-given-out";
    try {
        for (const place of Object.keys(localStorage).filter((one) => one === name || one.startsWith(`${name} `))) {
            const person = place.slice(name.length + 1) || me();
            if (person === null) continue;
            for (const { order, key, refused } of JSON.parse(localStorage.getItem(place) ?? "[]")) {
                const row = newEntry({
                    id: key, table: "collections", path: `/v1/sales/${order}/collections`, body: {}, shown: { order },
                    person,
                });
                await saveEntry(refused ? { ...row, state: "refused", reason: refused } : row);
            }
            localStorage.removeItem(place);
        }
    } catch {
        // Storage is off: there is nothing to move.
    }
}
