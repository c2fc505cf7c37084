/**
 * What this phone remembers of a farm: its keys, the last checkpoint, and the last story of each lot (IndexedDB).
 */
const Limits = { bundles: 60, patienceMilliseconds: 3_000 };
const name = "furrow-story";

/**
 * @typedef {object} StoredBundle
 * @property {any} bundle as it was answered
 * @property {number} seen milliseconds since 1970
 */

/**
 * The memory of this browser.
 * @returns {Promise<Memory>} one that forgets at once if the browser gives no storage, or none in time
 */
export async function openMemory() {
    const memory = new Memory();
    try {
        memory.database = await memory.awaited(twice(open));
    } catch {
        // Nothing is remembered, and the page says so.
    }
    return memory;
}

/**
 * Reads and writes whole visits, so that keys, checkpoint and story are never of different ones.
 *
 * A disk may be busy with other things: nobody who stands before a box waits for it longer than `patienceMilliseconds`
 * in all. From then on there is no memory, and `isSilent` says why.
 */
class Memory {
    /** @type {IDBDatabase|null} */
    database = null;
    /** Whether there may be a memory that could not be read in time. */
    isSilent = false;
    #patience = Limits.patienceMilliseconds;

    /** @returns {boolean} whether anything will be known at the next visit */
    get lasts() {
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

    /** Keeps what was learnt of keys, new ones and revocations. @param {import("../verify/keys.js").KeyRing} ring */
    async keepKeys(ring) {
        await this.write((memory) => memory.put(ring, "keys"));
    }

    /**
     * Keeps a verified visit. An older checkpoint or story never replaces a newer one, whatever another tab has done.
     * @param {object} visit
     * @param {import("../verify/keys.js").KeyRing} visit.ring
     * @param {import("../verify/verify.js").Remembered} visit.checkpoint
     * @param {{gtin: string, lot: string}} visit.label
     * @param {any} visit.bundle
     */
    async keepVisit({ ring, checkpoint, label, bundle }) {
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

    /** @returns {Promise<any>} null if nothing is there; a browser may have closed the storage meanwhile */
    async read(store, key) {
        if (!this.database) return null;
        const read = () => answered(this.database.transaction(store).objectStore(store).get(key));
        const readAgain = async () => {
            this.database = await open();
            return read();
        };
        try {
            return (await this.awaited(twice(read, readAgain))) ?? null;
        } catch (error) {
            if (this.isSilent) return null;
            throw error;
        }
    }

    /**
     * @template T
     * @param {Promise<T>} answer
     * @returns {Promise<T>}
     * @throws {Error} when the patience is over
     */
    async awaited(answer) {
        const began = performance.now();
        let timer = 0;
        const over = new Promise((resolve, reject) => {
            timer = setTimeout(() => {
                this.isSilent = true;
                this.database = null;
                reject(new Error("the browser's storage is silent"));
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
        await this.awaited(new Promise((resolve, reject) => {
            transaction.oncomplete = resolve;
            transaction.onerror = transaction.onabort = () => reject(transaction.error);
        }));
    }
}

/** @template T @param {() => Promise<T>} body @returns {Promise<T>} of the second try if the first one fails */
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
    return answered(request);
}

/** @param {IDBObjectStore} bundles */
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

/** @param {IDBRequest} request @param {(result: any) => void} body called once for each answer */
function whenRead(request, body) {
    request.onsuccess = () => body(request.result);
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function answered(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}
