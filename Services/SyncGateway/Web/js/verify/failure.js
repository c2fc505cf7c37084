/**
 * Why something is not believed. The code is a constant name; words for people are made of it elsewhere.
 */
export class Refusal extends Error {
    /**
     * @param {string} code such as `label-forged`
     * @param {Record<string, string>} [facts] what a sentence about it needs
     */
    constructor(code, facts = {}) {
        super(code);
        this.name = "Refusal";
        this.code = code;
        this.facts = facts;
    }
}

/**
 * What a check threw: bytes that no browser function could make sense of are not believed either.
 * @param {unknown} error
 * @returns {Refusal}
 */
export function asRefusal(error) {
    return error instanceof Refusal ? error : new Refusal("unexpected", { what: String(error) });
}

/**
 * @param {unknown} condition @param {string} code @param {Record<string, string>} [facts]
 * @returns {asserts condition}
 * @throws {Refusal}
 */
export function insist(condition, code, facts) {
    if (!condition) throw new Refusal(code, facts);
}
