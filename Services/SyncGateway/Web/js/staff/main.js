/**
 * The staff's pages: who is signed in, the menu, and the page that the address names.
 */
import { command, get, lists, NoAnswer, Problem, session } from "../common/api.js";
import { forgetKept, keep, patience, recall } from "../common/cache.js";
import { fill, h } from "../common/dom.js";
import { forgetDrafts } from "../common/draft.js";
import { action } from "../common/form.js";
import { number } from "../common/format.js";
import { icon } from "../common/icons.js";
import { head, nothingYet } from "../common/parts.js";
import { currentPath } from "./address.js";
import { isOutdated } from "./hand-over.js";
import { openOutbox, sendAll } from "./outbox.js";
import { noSuch } from "./parts.js";
import { hasTakenWork } from "./pending-work.js";
import { loadSection, routeOf } from "./router.js";

const Limits = { sendAgainMilliseconds: 45_000 };
const content = document.querySelector("#content");
const top = document.querySelector("#top");
const announcements = document.querySelector("#announcements");
const rank = { auditor: 0, grower: 1, administrator: 2 };
const menu = [
    ["/", "Today", "home", "auditor"], ["/plots", "Plots", "field", "auditor"],
    ["/stores", "Stores", "stored", "auditor"], ["/lots", "Lots", "packed", "auditor"],
    ["/market", "Sales", "basket", "auditor"], ["/sensors", "Sensors", "gauge", "auditor"],
    ["/people", "Staff", "people", "administrator"],
    ["/operations", "Server", "server", "administrator"],
];

let me = null;
let leave = () => {};
let turn = 0;
/** Lists that the page shows the beginning of, and how many items that is. */
let cuts = new Map();

/**
 * @typedef {object} Context what a page is given
 * @property {{person: string, name: string, email: string, role: string}} me
 * @property {(role: string) => boolean} can whether the one who is signed in may do what needs this role
 * @property {() => Promise<void>} refresh shows the same page again, with what the server says now
 * @property {() => Promise<void>} renew the same, unless somebody is at work on it
 * @property {(text: string) => void} announce says something to those who do not see the page
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
 * Shows what the address names; the newest call wins.
 * @param {{isRefresh?: boolean, isAsked?: boolean}} how the same page again; not because somebody wants it now
 */
async function showPage({ isRefresh = false, isAsked = true } = {}) {
    turn += 1;
    const mine = turn;
    content.setAttribute("aria-busy", "true");
    cuts = new Map();
    const page = await makePage();
    if (mine !== turn) return page.leave?.();
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
    tellCuts();
    if (!isRefresh && turn > 1) (content.querySelector("h1[tabindex]") ?? content).focus();
}

/**
 * Whoever goes by keyboard stands on the same link or button when the page was made anew, or at the page's beginning if
 * there is none like it any more.
 * @returns {() => void} to be called then
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

/** Says that there is more than the page shows: of a list in order of age the oldest are left out. */
function tellCuts() {
    const orders = new Map([["lots", " Older ones are not shown."], ["activities", " Older ones are not shown."]]);
    content.querySelector(".cut-note")?.remove();
    if (cuts.size === 0) return;
    content.append(h("div.cut-note", { role: "status" }, [...cuts].map(([what, count]) =>
        h("p.note", null, `There are more ${what} than the ${number(count)} shown here.`, orders.get(what)))));
}

/** @returns {Promise<{title: string, content: any, section?: string|null, name?: string, leave?: () => void}>} */
async function makePage() {
    try {
        if (location.pathname === "/setup") return await (await import("./pages/setup.js")).show({ entered });
        if (me === null) return await (await import("./pages/sign-in.js")).show({ entered });
        const route = routeOf(currentPath());
        if (route === null) return noSuch("page", "#/", "Go to the start page");
        const page = await (await route.load()).show(context, ...route.parameters);
        return { ...page, section: route.section };
    } catch (error) {
        return trouble(error);
    }
}

function trouble(error) {
    const isKnown = error instanceof NoAnswer || error instanceof Problem;
    if (!isKnown) console.error(error);
    const text = isKnown ? error.message : "Something went wrong while this page was loading.";
    const again = h("button.button", { type: "button", onclick: () => showPage() }, "Try again");
    return { title: "Error", content: [head("This page cannot be shown"), nothingYet("offline", text, again)] };
}

/** Shows the same page again, but not under the hands of somebody, nor in place of a page that is being made. */
async function renew() {
    if (!isInUse() && !content.hasAttribute("aria-busy")) await showPage({ isRefresh: true, isAsked: false });
}

function isInUse() {
    return content.querySelector("form:focus-within, details[open]") !== null;
}

/** What waits in the outbox is sent. A page that tells otherwise by then is shown anew. */
async function sendLate() {
    if (me === null) return;
    await sendAll();
    if (isOutdated(content) || hasTakenWork(content)) await renew();
}

/** There is a network again: what is shown of former days is of no use any more. */
async function goOn() {
    await sendLate();
    if (content.querySelector(".as-of") !== null) await renew();
}

/** Somebody has signed in or set up. */
async function entered(account) {
    me = account;
    keep("me", me);
    sendLate();
    if (location.pathname !== "/staff") history.replaceState(null, "", "/staff#/");
    await showPage();
}

function showMenu(section) {
    const items = me === null ? [] : menu.filter(([, , , role]) => context.can(role));
    fill(top,
        h("p.brand", null, h("a", { href: "/staff#/" }, icon("sprout"), "Furrow")),
        items.length > 0 && h("nav.menu", { "aria-label": "Main" },
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
        name: "sign out", label: "Sign out", kind: "button-quiet",
        send: async (key) => {
            await sendAll();
            return command("DELETE", "/v1/sessions/current", null, key);
        },
        done: async () => {
            me = null;
            forgetKept();
            forgetDrafts();
            history.replaceState(null, "", "/staff#/");
            await showPage();
        },
    });
}

session.addEventListener("lost", () => {
    if (me === null) return;
    me = null;
    forgetKept();
    showPage();
});
lists.addEventListener("cut", (/** @type {any} */ { detail: { what, count } }) => {
    cuts.set(what, count);
    if (!content.hasAttribute("aria-busy")) tellCuts();
});
addEventListener("online", goOn);
// A server that was away, or a network that was silent, is back without a word.
setInterval(() => {
    if (document.visibilityState === "visible") sendLate();
}, Limits.sendAgainMilliseconds);
addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash.startsWith("#/")) showPage();
});
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
});

try {
    if (location.pathname !== "/setup") me = await get("/v1/me", recall("me") === null ? undefined : patience);
    if (me?.role === "buyer") me = null;
    keep("me", me);
} catch (error) {
    // Nobody says who it is: then it is who it was. What the pages show then is what this browser has kept.
    if (error instanceof Problem) forgetKept();
    else me = recall("me");
}
await openOutbox();
await showPage();
// Whatever page it is: what was written down without a network is sent as soon as there is one.
sendLate();
try {
    if (await navigator.serviceWorker?.register("/sw.js")) await keepPages();
} catch {
    // Browsers refuse where storage is off or the connection is not secure; then pages need the network.
}

/** For a field or a stall without a network: what these pages are made of so far, and all that show what was kept. */
async function keepPages() {
    await Promise.all(["/", "/plots", "/stores", "/lots", "/market"].map(loadSection));
    const fetched = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    const own = fetched.filter((path) => /^\/assets\/(js\/staff|css)\//.test(path));
    const cache = await caches.open("furrow-staff");
    await cache.addAll(["/assets/staff.html", ...new Set(own)]);
}
