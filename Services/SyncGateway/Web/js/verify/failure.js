/** The reason why a verification failed. The code is stable; `story/text.js` has the texts for people. */
export class VerificationFailure extends Error {
    /**
     * @param {string} code such as `label-forged`
     * @param {Record<string, string>} [facts] values for the text
     */
    constructor(code, facts = {}) {
        super(code);
        this.name = "VerificationFailure";
        this.code = code;
        this.facts = facts;
    }
}

/**
 * Returns the failure that a check threw; `unexpected` for any other error.
 * @param {unknown} error
 * @returns {VerificationFailure}
 */
export function asFailure(error) {
    if (error instanceof VerificationFailure) return error;
    return new VerificationFailure("unexpected", { what: String(error) });
}

/**
 * Throws a failure unless the condition is true.
 * @param {unknown} condition @param {string} code @param {Record<string, string>} [facts]
 * @returns {asserts condition}
 * @throws {VerificationFailure}
 */
export function insist(condition, code, facts) {
    if (!condition) throw new VerificationFailure(code, facts);
}
