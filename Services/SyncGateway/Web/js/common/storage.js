/**
 * The browser's database (IndexedDB): records of the server, updates that wait for confirmation, the outbox, and
 * settings. Related changes are written in one transaction.
 */
const name = "furrow-shop";
const Limits = { openMilliseconds: 8_000 };

/**
 * @typedef {object} Stored a record
 * @property {string} table `farms`, `products`, `offers` …
 * @property {string} id
 * @property {any} body null if an update deletes the record
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
        setTimeout(reject, Limits.openMilliseconds, new Error("IndexedDB did not respond in time"));
    });
    const result = await Promise.race([requestResult(request), silent]);
    result.onversionchange = () => result.close();
    result.onclose = () => {
        opened = null;
    };
    return result;
}

/**
 * Runs a transaction. `body` may await its own requests only, as a transaction without open requests commits.
 * @template T
 * @param {string[]} stores
 * @param {"readonly"|"readwrite"} mode
 * @param {(...stores: IDBObjectStore[]) => T|Promise<T>} body
 * @returns {Promise<T>} the result of `body`, after the commit
 * @throws if the transaction fails or `body` throws; nothing is written then
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
        // The transaction has ended already.
    }
}

/** Reads all records of a table. @param {string} table @returns {Promise<any[]>} their bodies */
export async function all(table) {
    return transact(["records"], "readonly", async (records) => {
        const rows = await requestResult(records.index("table").getAll(table));
        return rows.map((row) => row.body);
    });
}

/** Reads a record. @param {string} table @param {string} id @returns {Promise<any>} its body; null if there is none */
export async function one(table, id) {
    const row = await transact(["records"], "readonly", (records) => requestResult(records.get([table, id])));
    return row?.body ?? null;
}

/** Reads a value of this browser, such as the cart. @param {string} key @returns {Promise<any>} null if absent */
export async function readValue(key) {
    return (await transact(["facts"], "readonly", (facts) => requestResult(facts.get(key)))) ?? null;
}

/** Stores a value of this browser. @param {string} key @param {any} value */
export async function saveValue(key, value) {
    await transact(["facts"], "readwrite", (facts) => {
        facts.put(value, key);
    });
}

/** Deletes everything except the outbox entries of other persons. @param {string} person */
export async function deleteEverything(person) {
    await transact(["records", "updates", "facts", "outbox"], "readwrite", async (records, updates, facts, outbox) => {
        for (const store of [records, updates, facts]) store.clear();
        for (const row of await requestResult(outbox.getAll())) {
            if (row.person === person) outbox.delete(row.id);
        }
    });
    notifyChange("me");
}

/** Returns the result of a request. @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export function requestResult(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

const channel = new BroadcastChannel(name);
const listeners = new Set();
channel.onmessage = ({ data }) => listeners.forEach((listener) => listener(data));

/** Notifies all tabs, this one included, of a change. @param {"records"|"updates"|"outbox"|"cart"|"me"} what */
export function notifyChange(what) {
    channel.postMessage(what);
    listeners.forEach((listener) => listener(what));
}

/** Adds a listener of changes. @param {(what: string) => void} listener */
export function onChange(listener) {
    listeners.add(listener);
}

/** Runs `body` under a lock that all tabs share; without a lock if the browser has no Web Locks. */
export function withLock(lock, body) {
    return navigator.locks ? navigator.locks.request(lock, body) : body();
}
