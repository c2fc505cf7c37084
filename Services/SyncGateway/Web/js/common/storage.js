/**
 * What this browser keeps of the market (IndexedDB): records as the server told them, updates that wait for a yes,
 * and what is still to be sent. Whatever belongs together is written in one transaction.
 */
const name = "furrow-shop";
const Limits = { openMilliseconds: 8_000 };

/**
 * @typedef {object} Stored a record
 * @property {string} table `farms`, `products`, `offers` …
 * @property {string} id
 * @property {any} body null where an update takes the record away
 */

/** @type {Promise<IDBDatabase>|null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
function database() {
    opened ??= open().catch((error) => {
        opened = null;
        throw error;
    });
    return opened;
}

async function open() {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
        for (const store of ["records", "updates"]) {
            request.result.createObjectStore(store, { keyPath: ["table", "id"] }).createIndex("table", "table");
        }
        request.result.createObjectStore("outbox", { keyPath: "id" });
        request.result.createObjectStore("facts");
    };
    const silent = new Promise((resolve, reject) => {
        setTimeout(reject, Limits.openMilliseconds, new Error("the browser's store is silent"));
    });
    const result = await Promise.race([answered(request), silent]);
    result.onversionchange = () => result.close();
    result.onclose = () => {
        opened = null;
    };
    return result;
}

/**
 * One transaction: all of it or nothing. `body` may wait for its requests and for nothing else.
 * @template T
 * @param {string[]} stores
 * @param {"readonly"|"readwrite"} mode
 * @param {(...stores: IDBObjectStore[]) => T|Promise<T>} body
 * @returns {Promise<T>} when the transaction is done
 */
export async function transact(stores, mode, body) {
    /** @type {IDBTransactionOptions} */
    const options = mode === "readwrite" ? { durability: "strict" } : undefined;
    const transaction = (await database()).transaction(stores, mode, options);
    const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
    try {
        const result = await body(...stores.map((store) => transaction.objectStore(store)));
        await done;
        return result;
    } catch (error) {
        done.catch(() => {});
        if (transaction.error === null) tryAbort(transaction);
        throw error;
    }
}

function tryAbort(transaction) {
    try {
        transaction.abort();
    } catch {
        // It was over already.
    }
}

/** @param {string} table @returns {Promise<any[]>} the bodies of its records */
export async function all(table) {
    return transact(["records"], "readonly", async (records) => {
        const rows = await answered(records.index("table").getAll(table));
        return rows.map((row) => row.body);
    });
}

/** @param {string} table @param {string} id @returns {Promise<any>} null if there is none */
export async function one(table, id) {
    const row = await transact(["records"], "readonly", (records) => answered(records.get([table, id])));
    return row?.body ?? null;
}

/** @param {string} key @returns {Promise<any>} a fact about this browser: who is signed in, what is in the cart */
export async function fact(key) {
    return (await transact(["facts"], "readonly", (facts) => answered(facts.get(key)))) ?? null;
}

/** @param {string} key @param {any} value */
export async function keepFact(key, value) {
    await transact(["facts"], "readwrite", (facts) => {
        facts.put(value, key);
    });
}

/** Forgets everything but what others have promised here. @param {string} person whose promises go, too */
export async function forgetEverything(person) {
    await transact(["records", "updates", "facts", "outbox"], "readwrite", async (records, updates, facts, outbox) => {
        for (const store of [records, updates, facts]) store.clear();
        for (const row of await answered(outbox.getAll())) {
            if (row.person === person) outbox.delete(row.id);
        }
    });
    tell("me");
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export function answered(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

const channel = new BroadcastChannel(name);
const listeners = new Set();
channel.onmessage = ({ data }) => listeners.forEach((listener) => listener(data));

/** Tells this tab and all others what has changed. @param {"records"|"updates"|"outbox"|"cart"|"me"} what */
export function tell(what) {
    channel.postMessage(what);
    listeners.forEach((listener) => listener(what));
}

/** @param {(what: string) => void} listener */
export function onChange(listener) {
    listeners.add(listener);
}

/** One tab at a time; where there are no locks, this tab alone. */
export function exclusively(lock, body) {
    return navigator.locks ? navigator.locks.request(lock, body) : body();
}
