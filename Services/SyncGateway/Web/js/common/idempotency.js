/**
 * What somebody wants done once, however often it has to be sent. Its key is made with the first try and stays the same
 * until the server has answered, over lost connections and reloads; another content is another intention.
 */
export class Intention {
    /**
     * @param {string} name of the form, and of what it is about
     * @param {{isSecret?: boolean}} options secret ones leave nothing behind in the browser
     */
    constructor(name, { isSecret = false } = {}) {
        this.place = `furrow-intention ${name}`;
        this.storage = isSecret ? null : usableStorage();
        this.pending = null;
    }

    /** @param {any} content @returns {Promise<string>} the Idempotency-Key for it */
    async keyFor(content) {
        const digest = await digestOf(JSON.stringify(content ?? null));
        const pending = this.pending ?? this.stored();
        if (pending?.digest !== digest) this.pending = { digest, key: freshKey() };
        else this.pending = pending;
        this.storage?.setItem(this.place, JSON.stringify(this.pending));
        return this.pending.key;
    }

    /** The server has answered: what comes next is something new. */
    answered() {
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

/** @returns {string} 128 random bits */
export function freshKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Tells contents apart; where the connection is not secure there is no SHA-256, and the text itself serves. */
async function digestOf(text) {
    if (!crypto.subtle) return text;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
