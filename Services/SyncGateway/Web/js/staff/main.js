/** The staff's app: session, menu, and the page of the current address. */
import { command, get, lists, NoResponse, Problem, session } from "../common/api.js";
import { clearCache, readCache, slowNetworkMilliseconds, writeCache } from "../common/cache.js";
import { fill, h } from "../common/dom.js";
import { deleteDrafts } from "../common/draft.js";
import { action } from "../common/form.js";
import { number } from "../common/format.js";
import { icon } from "../common/icons.js";
import { cacheCatalogue, choose, t } from "../common/language.js";
import { head, nothingYet } from "../common/parts.js";
import { currentPath } from "./address.js";
import { isOutdated } from "./hand-over.js";
import { openOutbox, sendAll } from "./outbox.js";
import { noSuch } from "./parts.js";
import { hasAcceptedWork } from "./pending-work.js";
import { loadSection, routeOf } from "./router.js";

const Limits = { sendAgainMilliseconds: 45_000 };
const content = document.querySelector("#content");
const top = document.querySelector("#top");
const announcements = document.querySelector("#announcements");
const rank = { auditor: 0, grower: 1, administrator: 2 };
const menu = [
    ["/", t`Today`, "home", "auditor"], ["/plots", t`Plots`, "field", "auditor"],
    ["/stores", t`Stores`, "stored", "auditor"], ["/lots", t`Lots`, "packed", "auditor"],
    ["/market", t`Sales`, "basket", "auditor"], ["/sensors", t`Sensors`, "gauge", "auditor"],
    ["/people", t`Staff`, "people", "administrator"],
    ["/operations", t`Server`, "server", "administrator"],
];

let me = null;
let leave = () => {};
let generation = 0;
/** Lists that are shown incompletely, with the number of shown items. */
let cuts = new Map();

/**
 * @typedef {object} Context what `show` of a page receives
 * @property {{person: string, name: string, email: string, role: string}} me
 * @property {(role: string) => boolean} can whether the signed-in person has at least this role
 * @property {() => Promise<void>} refresh shows the same page again with current data
 * @property {() => Promise<void>} renew the same, unless the page is in use
 * @property {(text: string) => void} announce puts a text into the live region for screen readers
 */
const context = {
    get me() {
        return me;
    },
    can: (role) => rank[me?.role] >= rank[role],
    refresh: () => showPage({ isRefresh: true }),
    renew,
    announce(text) {
        announcements.textContent = "";
        requestAnimationFrame(() => {
            announcements.textContent = text;
        });
    },
};

/**
 * Shows the page of the address. If calls overlap, the latest one wins.
 * @param {{isRefresh?: boolean, isAsked?: boolean}} how `isRefresh`: the same page again; `isAsked` false: an automatic
 *     refresh, which does not replace a page in use
 */
async function showPage({ isRefresh = false, isAsked = true } = {}) {
    generation += 1;
    const mine = generation;
    content.setAttribute("aria-busy", "true");
    cuts = new Map();
    const page = await makePage();
    if (mine !== generation) return page.leave?.();
    if (!isAsked && isInUse()) {
        content.removeAttribute("aria-busy");
        return page.leave?.();
    }
    leave();
    leave = page.leave ?? (() => {});
    document.title = `${page.title} – Furrow`;
    showMenu(page.section ?? null);
    const goBack = isRefresh ? markFocus() : () => {};
    fill(content, page.content);
    goBack();
    content.dataset.page = page.name ?? page.section ?? "";
    content.removeAttribute("aria-busy");
    showCutNote();
    if (!isRefresh && generation > 1) (content.querySelector("h1[tabindex]") ?? content).focus();
}

/**
 * Remembers the focused element, so that keyboard users stay at the same link or button after a refresh.
 * @returns {() => void} restores the focus, or sets it to the content if the element is gone
 */
function markFocus() {
    const nameOf = (one) => [one.tagName, one.id, one.getAttribute("href"), one.textContent].join(" ");
    const active = document.activeElement;
    if (!content.contains(active)) return () => {};
    const name = nameOf(active);
    return () => {
        const same = [...content.querySelectorAll(active.tagName)].find((one) => nameOf(one) === name);
        (same ?? content).focus({ preventScroll: true });
    };
}

/** Adds a note about lists that are shown incompletely. */
function showCutNote() {
    const names = { lots: t`lots`, activities: t`activities`, plots: t`plots`, stores: t`stores` };
    const orders = new Map([["lots", t` Older ones are not shown.`], ["activities", t` Older ones are not shown.`]]);
    content.querySelector(".cut-note")?.remove();
    if (cuts.size === 0) return;
    content.append(h("div.cut-note", { role: "status" }, [...cuts].map(([what, count]) =>
        h("p.note", null, t`There are more ${names[what] ?? what} than the ${number(count)} shown here.`,
            orders.get(what)))));
}

/** @returns {Promise<{title: string, content: any, section?: string|null, name?: string, leave?: () => void}>} */
async function makePage() {
    try {
        if (location.pathname === "/setup") return await (await import("./pages/setup.js")).show({ entered });
        if (me === null) return await (await import("./pages/sign-in.js")).show({ entered });
        const route = routeOf(currentPath());
        if (route === null) return noSuch(t`page`, "#/", t`Go to the start page`);
        const page = await (await route.load()).show(context, ...route.parameters);
        return { ...page, section: route.section };
    } catch (error) {
        return errorPage(error);
    }
}

function errorPage(error) {
    const isKnown = error instanceof NoResponse || error instanceof Problem;
    if (!isKnown) console.error(error);
    const text = isKnown ? error.message : t`Something went wrong while this page was loading.`;
    const again = h("button.button", { type: "button", onclick: () => showPage() }, t`Try again`);
    return { title: t`Error`, content: [head(t`This page cannot be shown`), nothingYet("offline", text, again)] };
}

/** Shows the same page again, unless it is in use or a page is loading. */
async function renew() {
    if (!isInUse() && !content.hasAttribute("aria-busy")) await showPage({ isRefresh: true, isAsked: false });
}

function isInUse() {
    return content.querySelector("form:focus-within, details[open]") !== null;
}

/** Sends the outbox, then refreshes the page if it shows outdated states. */
async function sendPending() {
    if (me === null) return;
    await sendAll();
    if (isOutdated(content) || hasAcceptedWork(content)) await renew();
}

/** Sends the outbox when the network is back, and refreshes a page that shows cached data. */
async function sendAndRefresh() {
    await sendPending();
    if (content.querySelector(".as-of") !== null) await renew();
}

/** Starts the session after sign-in or set-up. */
async function entered(account) {
    me = account;
    writeCache("me", me);
    if (location.pathname !== "/staff") history.replaceState(null, "", "/staff#/");
    if (me.language && choose(me.language)) return location.reload();
    sendPending();
    return showPage();
}

function showMenu(section) {
    const items = me === null ? [] : menu.filter(([, , , role]) => context.can(role));
    fill(top,
        h("p.brand", null, h("a", { href: "/staff#/" }, icon("sprout"), t`Furrow`)),
        items.length > 0 && h("nav.menu", { "aria-label": t`Main` },
            h("ul", { role: "list" }, items.map((item) => menuItem(item, section)))),
        me !== null && h("div.account", null, h("a.account-name", { href: "#/account" }, me.name), signOut()));
}

/** @param {string[]} item @param {string} section */
function menuItem([path, text, drawing], section) {
    const isHere = path === section && "page";
    return h("li", null, h("a", { href: `#${path}`, "aria-current": isHere }, icon(drawing), text));
}

function signOut() {
    return action({
        name: "sign out", label: t`Sign out`, kind: "button-quiet",
        send: async (key) => {
            await sendAll();
            return command("DELETE", "/v1/sessions/current", null, key);
        },
        done: async () => {
            me = null;
            clearCache();
            deleteDrafts();
            history.replaceState(null, "", "/staff#/");
            await showPage();
        },
    });
}

session.addEventListener("lost", () => {
    if (me === null) return;
    me = null;
    clearCache();
    showPage();
});
lists.addEventListener("cut", (/** @type {any} */ { detail: { what, count } }) => {
    cuts.set(what, count);
    if (!content.hasAttribute("aria-busy")) showCutNote();
});
addEventListener("online", sendAndRefresh);
// No event reports that a server or a stalled network is back, so the outbox is sent at intervals.
setInterval(() => {
    if (document.visibilityState === "visible") sendPending();
}, Limits.sendAgainMilliseconds);
addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash.startsWith("#/")) showPage();
});
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
});

try {
    if (location.pathname !== "/setup") {
        me = await get("/v1/me", readCache("me") === null ? undefined : slowNetworkMilliseconds);
    }
    if (me?.role === "buyer") me = null;
    writeCache("me", me);
    if (me?.language && choose(me.language)) location.reload();
} catch (error) {
    // Without a response, the last known person stays signed in and sees the cached data of this browser.
    if (error instanceof Problem) clearCache();
    else me = readCache("me");
}
await openOutbox();
await showPage();
sendPending();
try {
    if (await navigator.serviceWorker?.register("/sw.js")) await keepPages();
} catch {
    // Without storage or a secure context there is no service worker: the pages need the network.
}

/** Caches the pages that work offline, and all files that are loaded so far. */
async function keepPages() {
    await Promise.all(["/", "/plots", "/stores", "/lots", "/market"].map(loadSection));
    const fetched = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    const named = fetched.map((path) => path.replace(/^\/assets\/[0-9a-f]{32}\//, "/assets/"));
    const own = named.filter((path) => /^\/assets\/(js\/staff|css)\//.test(path));
    const cache = await caches.open("furrow-staff");
    await cache.addAll(["/assets/staff.html", ...new Set(own)]);
    await cacheCatalogue();
}
