/** The verdict at the top of a story: icon, title and explanation. */
import { h, when } from "../common/dom.js";
import { clock, day, dayAndClock, dayOfYear } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { explain } from "./text.js";

/**
 * Returns the verdict of a verification.
 * @param {Outcome} outcome
 * @param {number} now milliseconds since 1970
 * @returns {{tone: "good"|"note"|"recalled"|"bad"|"quiet", element: HTMLElement}}
 */
export function badge(outcome, now) {
    const view = views[outcome.state](outcome, now);
    const element = h(`div.badge.badge-${view.tone}`, { "data-state": outcome.state },
        h("div.badge-mark", null, icon(view.icon)),
        h("div.badge-words", null,
            h("h2.badge-title", { tabindex: "-1", id: "verdict" }, view.title),
            view.lines.map((line) => h("p", null, line))));
    return { tone: view.tone, element };
}

/**
 * @typedef {object} View
 * @property {"good"|"note"|"recalled"|"bad"|"quiet"} tone
 * @property {string} icon
 * @property {string} title
 * @property {any[]} lines
 */

/** @typedef {import("./verification.js").Outcome} Outcome */

/** @type {Record<Outcome["state"], (outcome: Outcome, now: number) => View>} */
const views = {
    verified(outcome, now) {
        if (outcome.story.recalled !== null) return recalled(outcome, now);
        if (outcome.story.held !== null) return held(outcome, now);
        const isLabelled = outcome.label.kid !== null;
        const first = isLabelled
            ? t`The farm signed this label, and this story is in its signed log, byte for byte.`
            : t`This story is in the farm’s signed log, byte for byte. The link you followed carries no signature, so
                no label was checked.`;
        // The first keys of a farm are believed. If they came through a node, its operator is believed as well.
        const isOnTrust = outcome.isFirst && outcome.nodeAge !== null;
        const isGood = isLabelled && !isOnTrust;
        return {
            tone: isGood ? "good" : "note",
            icon: isGood ? "shield" : "info",
            title: titleOf(isLabelled, isOnTrust),
            lines: [first, isOnTrust && firstKeys, memoryLine(outcome, now), nodeLine(outcome, now)].filter(Boolean),
        };
    },
    failed(outcome) {
        const { what, advice } = explain(outcome.failure);
        return {
            tone: "bad", icon: "warning", title: t`Not verified`,
            lines: [what, advice, t`Because of this, no story is shown.`],
        };
    },
    missing(outcome) {
        const isSigned = outcome.label?.kid;
        return {
            tone: "quiet", icon: "info", title: t`No story found`,
            lines: [
                isSigned
                    ? t`The farm signed this label, but its server has no story of this lot.`
                    : t`The farm’s server knows no lot ${outcome.label?.lot ?? ""} of this product.`,
                t`Check that you scanned the whole code. If you did, ask the seller of the box.`,
            ],
        };
    },
    unreachable(outcome) {
        if (outcome.deferred !== null) {
            return {
                tone: "quiet", icon: "offline", title: t`Waiting for a connection`,
                lines: [
                    t`There is no connection to the farm from here at the moment. Your request is stored: it is sent
                        as soon as there is one, and this page then shows the story.`,
                    t`Nothing is known to be wrong.`,
                ],
            };
        }
        return {
            tone: "quiet", icon: "offline", title: t`Cannot be checked right now`,
            lines: [
                outcome.isSilent ? t`The farm’s server does not answer, and neither does this phone’s storage.`
                    : outcome.isFirst
                    ? t`This is the first visit of this phone, and the farm’s server does not answer.`
                    : t`The farm’s server does not answer, and this phone has not seen this lot’s story before.`,
                t`Nothing is known to be wrong. Try again when you have a connection.`,
            ],
        };
    },
    unable() {
        return {
            tone: "quiet", icon: "warning", title: t`This phone could not check`,
            lines: [
                globalThis.crypto?.subtle
                    ? t`Something went wrong on this phone while it was checking. Try again in a moment.`
                    : globalThis.isSecureContext
                    ? t`Checking needs a browser that is not too old.`
                    : t`This page was loaded over plain http. Browsers check signatures only over https: open the same
                        address with https, or ask the farm for it.`,
                t`No story is shown, because nothing could be checked.`,
            ],
        };
    },
};

function titleOf(isLabelled, isOnTrust) {
    if (!isLabelled) return t`Story verified, no label checked`;
    return isOnTrust ? t`Verified, with keys from a local copy` : t`Verified`;
}

/**
 * The verdict of a recalled lot: the recall comes before the verification.
 * @param {Outcome} outcome @param {number} now @returns {View}
 */
function recalled(outcome, now) {
    return {
        tone: "recalled", icon: "warning", title: t`Recalled: do not eat it`,
        lines: [
            t`The farm has recalled this lot: ${outcome.story.recalled}`,
            t`Bring the box back or ask the farm. The story on this page is the farm’s own: it passed every
                check.`,
            memoryLine(outcome, now), nodeLine(outcome, now),
        ].filter(Boolean),
    };
}

/**
 * The verdict of a lot on hold.
 * @param {Outcome} outcome @param {number} now @returns {View}
 */
function held(outcome, now) {
    return {
        tone: "recalled", icon: "warning", title: t`On hold by the farm`,
        lines: [
            t`The farm has stopped selling this lot for now: ${outcome.story.held}`,
            t`Ask the farm before you eat it. The story on this page is the farm’s own: it passed every check.`,
            memoryLine(outcome, now), nodeLine(outcome, now),
        ].filter(Boolean),
    };
}

const firstKeys = t`This phone got the farm’s keys from a local copy of the farm’s pages, not from the farm itself.
    Check the box once at the farm’s own address when you have a connection.`;

/** Returns the line about the age of a story that came through a node. */
function nodeLine({ nodeAge }, now) {
    if (nodeAge === null) return null;
    const sent = now - nodeAge * 1_000;
    return h("span.badge-tag", null, icon("info"),
        h("span", null, t`From a local copy, as of `, when(sent, dayAndClock(sent)), "."));
}

const silence = t`Earlier visits could not be read: this phone’s storage did not respond in time. So nothing was
    compared with an earlier visit. Reload the page to try again.`;

const late = t`This phone’s storage did not respond in time: this visit may not be remembered.`;

/** Returns the line about earlier visits. */
function memoryLine(outcome, now) {
    if (outcome.isOffline) {
        return h("span.badge-tag", null, icon("offline"),
            h("span", null, t`As of `, when(outcome.asOf, dayAndClock(outcome.asOf)), t`; offline`));
    }
    if (outcome.isSilent) return silence;
    if (outcome.isLate) return h("span", null, unchanged(outcome, now), " ", late);
    if (!outcome.remembers) {
        return t`This browser stores nothing, so later changes cannot be noticed at your next visit.`;
    }
    if (outcome.isFirst) return t`First visit: from now on this phone remembers the farm’s keys.`;
    return unchanged(outcome, now);
}

function unchanged({ since }, now) {
    if (since === null) return null;
    return h("span", null, t`Unchanged since your visit `, when(since, visitDay(since, now)), ".");
}

/** `of 3 May`, `of 3 May 2025`, `today at 14:05` */
function visitDay(since, now) {
    if (day(since) === day(now)) return t`today at ${clock(since)}`;
    const isThisYear = new Date(since).getFullYear() === new Date(now).getFullYear();
    return `of ${isThisYear ? dayOfYear(since) : day(since)}`;
}
