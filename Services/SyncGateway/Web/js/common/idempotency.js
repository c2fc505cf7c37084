/**
 * The idempotency key of a command. It is created at the first attempt and reused, over lost connections and reloads,
 * until the server has responded. Different content gets a different key.
 */
export class IdempotencyKey {
    /**
     * @param {string} name of the form and its subject
     * @param {{isSecret?: boolean}} options `isSecret`: stores nothing in the browser
     */
    constructor(name, { isSecret = false } = {}) {
        this.place = `furrow-intention ${name}`;
        this.storage = isSecret ? null : usableStorage();
        this.pending = null;
    }

    /** @param {any} content of the command @returns {Promise<string>} its Idempotency-Key */
    async keyFor(content) {
        const digest = await digestOf(JSON.stringify(content ?? null));
        const pending = this.pending ?? this.stored();
        if (pending?.digest !== digest) this.pending = { digest, key: newKey() };
        else this.pending = pending;
        this.storage?.setItem(this.place, JSON.stringify(this.pending));
        return this.pending.key;
    }

    /** Discards the key after a response; the next command gets a new one. */
    reset() {
        this.pending = null;
        this.storage?.removeItem(this.place);
    }

    stored() {
        try {
            return JSON.parse(this.storage?.getItem(this.place) ?? "null");
        } catch {
            return null;
        }
    }
}

/** @returns {Storage|null} */
function usableStorage() {
    try {
        return globalThis.sessionStorage;
    } catch {
        return null;
    }
}

/** @returns {string} a new key: 128 random bits in hexadecimal */
export function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the SHA-256 of a text, or the text itself where the context is not secure and there is no SHA-256. */
async function digestOf(text) {
    if (!crypto.subtle) return text;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
