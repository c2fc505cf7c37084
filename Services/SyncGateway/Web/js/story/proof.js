/** The list of checks and the limits of the proof. */
import { h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { checks } from "../verify/verify.js";
import { checkNames, checkSentences, skippedSentences } from "./text.js";

const marks = { passed: ["check", "passed"], skipped: ["dash", t`not checked`], failed: ["cross", "failed"] };

/** Returns the list of checks. @param {import("./verification.js").Outcome} outcome @returns {HTMLElement} */
export function checkList(outcome) {
    return h("details.fold", { id: "checks" },
        h("summary", null, t`What your phone has checked`),
        h("p", null, outcome.story
            ? t`Your phone has done all of this by itself, with the farm’s public keys:`
            : t`Your phone checks all of this by itself and stops where something is wrong or missing:`),
        checkItems(checks, outcome.checks));
}

/**
 * @param {string[]} names @param {Map<string, "passed"|"skipped"|"failed">} results
 * @param {Record<string, [string, string]>} [words] other names and sentences of passed checks
 * @returns {HTMLElement}
 */
export function checkItems(names, results, words = {}) {
    const items = names.map((name) => {
        const result = results.get(name);
        const [drawing, word] = marks[result] ?? ["dash", t`not reached`];
        const sentence = { passed: words[name]?.[1] ?? checkSentences[name], skipped: skippedSentences[name] }[result];
        return h(`li.check.check-${result ?? "none"}`, { "data-check": name, "data-result": result ?? "none" },
            icon(drawing),
            h("div", null,
                h("p.check-name", null, `${words[name]?.[0] ?? checkNames[name]}: ${word}`),
                sentence && h("p", null, sentence)));
    });
    return h("ol.checks", { role: "list" }, items);
}

/** @returns {HTMLElement} the section about the limits of the proof */
export function limitsOfProof() {
    return h("details.fold", { id: "limits" },
        h("summary", null, t`What this cannot prove`),
        h("p", null, t`A sticker can be photographed and copied: the check proves that the farm made this label and
            wrote this story, not that the box in your hand is the one it was stuck on.`),
        h("p", null, t`It also proves that what was written down has not been changed since, not that it was right
            when it was written. Corrections stay visible beside what they correct.`),
        h("p", null, t`On its first visit your phone takes the farm’s keys from this server. From then on it notices
            if somebody shows it other keys, or another log.`));
}
