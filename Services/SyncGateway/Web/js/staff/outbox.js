/**
 * The staff's part of the outbox: work on plots, harvests, and orders that were given out, in a field or at a stall
 * without a network, too. Each command stays with the person who gave it: it is never sent in the name of another.
 */
import { command, NoAnswer, Problem } from "../common/api.js";
import { patience, recall } from "../common/cache.js";
import { alone, forget, fresh, keep, sendWaiting, stored } from "../common/outbox.js";
import { onChange } from "../common/storage.js";

const tables = ["work", "collections"];
/** How long a page waits for the browser's store at its start; later it shows what waits as soon as it is read. */
const Limits = { openMilliseconds: 1_500 };

/** A copy in memory, the oldest first. @type {import("../common/outbox.js").Waiting[]} */
let rows = [];
/** Where the browser stores nothing, commands last as long as the page. */
const volatile = new Map();
let isStoreOff = false;
/** Forms that wait for the outcome of their command, by its key. */
const attended = new Map();

const me = () => recall("me")?.person ?? null;

/**
 * @param {string} table
 * @returns {import("../common/outbox.js").Waiting[]} the commands of the person who is signed in, oldest first
 */
export function waitingOf(table) {
    return rows.filter((row) => row.table === table && row.person === me());
}

/** Reads what waits. Call it before the first page is shown. */
export async function openOutbox() {
    const opened = adoptFormer().then(reload);
    await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, Limits.openMilliseconds))]);
}

async function reload() {
    rows = [...await unlessOff(() => stored(tables)) ?? [], ...volatile.values()];
    for (const listener of listeners) listener();
}

/** A store that failed once is not waited for again. @returns {Promise<any>} null if there is none */
async function unlessOff(body) {
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

/** @param {() => void} listener called when other commands wait than before @returns {() => void} ends that */
export function onWaiting(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
}

/**
 * Stores a command. When this resolves it survives a reload, if the browser stores anything at all.
 * @param {{id: string, table: "work"|"collections", path: string, body: any, shown: any}} given
 * @returns {Promise<import("../common/outbox.js").Waiting>}
 */
export async function add(given) {
    const row = fresh({ ...given, person: me() });
    await write(row);
    return row;
}

async function write(row) {
    await unlessOff(() => keep(row));
    if (isStoreOff) volatile.set(row.id, row);
    await reload();
}

/** @param {string} id @returns {boolean} whether a reload of the page loses the command: the browser stores nothing */
export function isVolatile(id) {
    return volatile.has(id);
}

/** @param {string} id of a command that is done, or whose refusal was read */
export async function drop(id) {
    volatile.delete(id);
    await unlessOff(() => forget(id));
    await reload();
}

/**
 * Stores a command of a form and sends it.
 * @param {{key: string, path: string, body: any, shown: any}} given
 * @returns {Promise<any>} the response; null if there was none in time: then the command waits
 * @throws {Problem} the refusal: then the command does not wait any more
 */
export async function submit({ key, path, body, shown }) {
    const { id } = await add({ id: key, table: "work", path, body, shown });
    const outcome = new Promise((resolve, reject) => attended.set(id, { resolve, reject }));
    outcome.catch(() => {});
    try {
        return await Promise.race([outcome, sendAll().then(() => null), silence()]);
    } finally {
        attended.delete(id);
    }
}

/** @returns {Promise<null>} after a silent network has been waited for long enough */
function silence() {
    return new Promise((resolve) => setTimeout(resolve, patience, null));
}

let running = null;
let next = null;

/** @returns {Promise<void>} when the server has answered each, or is silent; what was added before is included */
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

/** @returns {Promise<void>} the same, or when a silent network has been waited for long enough */
export function trySending() {
    return Promise.race([sendAll(), silence()]);
}

async function sendOnce() {
    const person = me();
    if (person === null || !rows.some((row) => row.person === person && row.state === "waiting")) return;
    await alone(async () => {
        await reload();
        await sendWaiting({ rows, isMine: (row) => row.person === person && me() === person, send, settle });
    });
}

/** @param {import("../common/outbox.js").Waiting} row @returns {Promise<import("../common/outbox.js").Result|null>} */
async function send(row) {
    try {
        // The cookie may be another's by now: the server refuses what is not the caller's.
        const body = { ...row.body, person: row.person };
        return { status: 200, answer: await command("POST", row.path, body, row.id, { isQueued: true }) };
    } catch (error) {
        if (error instanceof NoAnswer) return null;
        if (!(error instanceof Problem)) throw error;
        return { status: error.status, answer: { title: error.code, detail: error.message } };
    }
}

/** @param {import("../common/outbox.js").Waiting} row @param {import("../common/outbox.js").Result} result */
async function settle(row, { status, answer }) {
    const form = attended.get(row.id);
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

/** Former builds kept what was given out in the local storage, the oldest ones under no person's name. */
async function adoptFormer() {
    const name = "furrow-given-out";
    try {
        for (const place of Object.keys(localStorage).filter((one) => one === name || one.startsWith(`${name} `))) {
            const person = place.slice(name.length + 1) || me();
            if (person === null) continue;
            for (const { order, key, refused } of JSON.parse(localStorage.getItem(place) ?? "[]")) {
                const row = fresh({
                    id: key, table: "collections", path: `/v1/sales/${order}/collections`, body: {}, shown: { order },
                    person,
                });
                await keep(refused ? { ...row, state: "refused", reason: refused } : row);
            }
            localStorage.removeItem(place);
        }
    } catch {
        // Where storage is off nothing was kept.
    }
}
