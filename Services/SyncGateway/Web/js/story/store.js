/** The verifier's state on this phone (IndexedDB): the farm's keys, the last checkpoint, the last story of each lot. */
const Limits = { bundles: 60, patienceMilliseconds: 3_000 };
const name = "furrow-story";

/**
 * @typedef {object} StoredBundle
 * @property {any} bundle the server's response
 * @property {number} seen milliseconds since 1970
 */

/**
 * Opens the store.
 * @returns {Promise<VisitStore>} a store that stores nothing if IndexedDB fails or does not respond in time
 */
export async function openVisitStore() {
    const memory = new VisitStore();
    try {
        memory.database = await memory.inTime(twice(open));
    } catch {
        // Nothing is stored; the page shows a note.
    }
    return memory;
}

/**
 * Reads and writes the result of a visit in one transaction, so that keys, checkpoint and story fit together.
 *
 * All operations together wait for IndexedDB for `patienceMilliseconds` at most. After that the store is closed and
 * `isSilent` is true.
 */
class VisitStore {
    /** @type {IDBDatabase|null} */
    database = null;
    /** Whether IndexedDB did not respond in time, so that stored data may exist and was not read. */
    isSilent = false;
    #patience = Limits.patienceMilliseconds;

    /** @returns {boolean} whether the store is open, so that data lasts until the next visit */
    get isPersistent() {
        return this.database !== null;
    }

    /** @returns {Promise<import("../verify/keys.js").KeyRing|null>} */
    keys() {
        return this.read("memory", "keys");
    }

    /** @param {string} hub @returns {Promise<import("../verify/verify.js").Remembered|null>} */
    checkpoint(hub) {
        return this.read("memory", `checkpoint ${hub}`);
    }

    /** @param {{gtin: string, lot: string}} label @returns {Promise<StoredBundle|null>} */
    bundle(label) {
        return this.read("bundles", `${label.gtin}/${label.lot}`);
    }

    /** Stores the keys, with new keys and revocations. @param {import("../verify/keys.js").KeyRing} ring */
    async saveKeys(ring) {
        await this.write((memory) => memory.put(ring, "keys"));
    }

    /**
     * Stores a verified visit. An older checkpoint or story never replaces a newer one that another tab stored.
     * @param {object} visit
     * @param {import("../verify/keys.js").KeyRing} visit.ring
     * @param {import("../verify/verify.js").Remembered} visit.checkpoint
     * @param {{gtin: string, lot: string}} visit.label
     * @param {any} visit.bundle
     */
    async saveVisit({ ring, checkpoint, label, bundle }) {
        const lot = `${label.gtin}/${label.lot}`;
        const place = `checkpoint ${ring.hub}`;
        await this.write((memory, bundles) => {
            memory.put(ring, "keys");
            whenRead(memory.get(place), (last) => {
                if (!last || BigInt(last.size) <= BigInt(checkpoint.size)) memory.put(checkpoint, place);
            });
            whenRead(bundles.get(lot), (last) => {
                if (last && last.bundle.index > bundle.index) return;
                bundles.put({ bundle, seen: checkpoint.seen }, lot);
                forgetOldest(bundles);
            });
        });
    }

    /** Reads a value; reopens the database once if the browser has closed it. @returns {Promise<any>} null if absent */
    async read(store, key) {
        if (!this.database) return null;
        const read = () => requestResult(this.database.transaction(store).objectStore(store).get(key));
        const readAgain = async () => {
            this.database = await open();
            return read();
        };
        try {
            return (await this.inTime(twice(read, readAgain))) ?? null;
        } catch (error) {
            if (this.isSilent) return null;
            throw error;
        }
    }

    /**
     * Waits for a result of IndexedDB.
     * @template T
     * @param {Promise<T>} answer
     * @returns {Promise<T>}
     * @throws {Error} if the time limit of this store is exceeded
     */
    async inTime(answer) {
        const began = performance.now();
        let timer = 0;
        const over = new Promise((resolve, reject) => {
            timer = setTimeout(() => {
                this.isSilent = true;
                this.database = null;
                reject(new Error("IndexedDB did not respond in time"));
            }, Math.max(0, this.#patience));
        });
        try {
            return await Promise.race([answer, over]);
        } finally {
            clearTimeout(timer);
            this.#patience -= performance.now() - began;
        }
    }

    /** @param {(memory: IDBObjectStore, bundles: IDBObjectStore) => void} body */
    async write(body) {
        if (!this.database) return;
        const transaction = this.database.transaction(["memory", "bundles"], "readwrite");
        body(transaction.objectStore("memory"), transaction.objectStore("bundles"));
        await this.inTime(new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onerror = transaction.onabort = () => reject(transaction.error);
        }));
    }
}

/** Runs `body`, and `again` if it fails. @template T @param {() => Promise<T>} body @returns {Promise<T>} */
async function twice(body, again = body) {
    try {
        return await body();
    } catch {
        return again();
    }
}

/** @returns {Promise<IDBDatabase>} */
async function open() {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
        request.result.createObjectStore("memory");
        request.result.createObjectStore("bundles").createIndex("seen", "seen");
    };
    return requestResult(request);
}

/** Deletes the least recently seen stories above the limit. @param {IDBObjectStore} bundles */
function forgetOldest(bundles) {
    whenRead(bundles.count(), (count) => {
        let surplus = count - Limits.bundles;
        if (surplus <= 0) return;
        whenRead(bundles.index("seen").openCursor(), function next(cursor) {
            if (!cursor || surplus <= 0) return;
            surplus -= 1;
            cursor.delete();
            cursor.continue();
        });
    });
}

/** @param {IDBRequest} request @param {(result: any) => void} body called with each result */
function whenRead(request, body) {
    request.onsuccess = () => body(request.result);
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function requestResult(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
