/** The shop: menu, status bar, synchronisation, and the page of the current address. */
import { fill, h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { cacheCatalogue, choose, t } from "../common/language.js";
import { nothingYet } from "../common/parts.js";
import { notifyChange, onChange, readValue, saveValue } from "../common/storage.js";
import { handleLinkClick } from "./address.js";
import { cartLines } from "./cart.js";
import { loadCatalog } from "./catalog.js";
import { copyText, farmLink, farmOnlyPage } from "./local-copy.js";
import { followSignals } from "./live.js";
import { entriesOf, flush, outbox } from "./outbox.js";
import { decidePromotions, noteShowings, promotionKey, watchPromotions } from "./promotions.js";
import { dismissRecall, openRecalls } from "./recalls.js";
import { fillKeepingFocus } from "./refill.js";
import { routeOf } from "./router.js";
import { keepsPages } from "./secure.js";
import { apply, pull, PullFailed, waiting } from "./sync.js";

const Limits = {
    pollMilliseconds: 45_000, patienceMilliseconds: 4_000, doneMilliseconds: 5_000,
    warningMilliseconds: 20_000,
};
const content = document.querySelector("#content");
const header = document.querySelector("#top");
const bar = document.querySelector("#bar");
const announcements = document.querySelector("#announcements");
const menu = [
    ["/", t`Start`, "home"], ["/directory", t`Farms`, "field"], ["/shop", t`Shop`, "harvested"],
    ["/cart", t`Cart`, "packed"], ["/orders", t`Orders`, "handed-over"],
];

const state = {
    me: null, signIn: false, online: true, node: null, waiting: 0, unsent: 0, refused: 0, cart: 0, section: null,
    done: null,
    recalls: [],
};
let leave = () => {};
let generation = 0;
/** The number of pages whose making began, and of the one that is shown: an older one does not replace it. */
let started = 0;
let shown = 0;
/** `isMaking`: a page is loading. `isOld`: the data has changed since it began to load. */
let isMaking = false;
let isOld = false;
/** Whether the person has entered something on this page, which updates must not discard. */
let isTouched = false;
/** The catalogue of the shown page, with the promotions that were decided for it. */
let catalogShown = null;
/** Whether the page's content depends on the connection. */
let dependsOnConnection = false;

/**
 * @typedef {object} Context what `show` of a page receives
 * @property {any} me the person who is signed in, or null
 * @property {() => boolean} isOnline whether the server responded to the last request
 * @property {() => boolean} needsSignIn whether a sign-in is required before anything can be sent
 * @property {() => Promise<void>} refresh shows the same page again
 * @property {() => Promise<void>} sync sends the outbox and pulls changes
 * @property {(account: any) => Promise<void>} enter starts the session of an account
 * @property {(drawing: string, text: string) => void} say shows a text in the status bar for a while
 * @property {(text: string) => void} announce puts a text into the live region for screen readers
 */
const context = {
    get me() {
        return state.me;
    },
    isOnline: () => state.online,
    needsSignIn: () => state.me === null || state.signIn,
    refresh: () => showPage({ isRefresh: true }),
    sync: () => sync(),
    async enter(account) {
        // A running request may still return the person who was signed in before.
        await running?.catch(() => {});
        await setPerson(account);
    },
    say(drawing, text) {
        state.done = { drawing, text };
        context.announce(text);
        showBar();
        setTimeout(() => {
            state.done = null;
            showBar();
        }, drawing === "warning" ? Limits.warningMilliseconds : Limits.doneMilliseconds);
    },
    announce(text) {
        announcements.textContent = "";
        requestAnimationFrame(() => {
            announcements.textContent = text;
        });
    },
};

/** Shows the page of the address; the latest call wins. An automatic refresh does not replace a page in use. */
async function showPage({ isRefresh = false, isByItself = false } = {}) {
    if (isByItself && isMaking) {
        isOld = true;
        return;
    }
    if (!isByItself) generation += 1;
    const entriesOf = generation;
    started += 1;
    const mine = started;
    isMaking ||= !isRefresh;
    if (!isRefresh) content.setAttribute("aria-busy", "true");
    const page = await makePage();
    if (entriesOf !== generation || mine < shown || (isByItself && isWrittenOn())) return;
    shown = mine;
    const isFirst = content.dataset.page === undefined;
    isMaking = false;
    isTouched = false;
    leave();
    leave = page.leave ?? (() => {});
    document.title = page.title === "Furrow" ? "Furrow" : `${page.title} – Furrow`;
    state.section = page.section ?? null;
    dependsOnConnection = page.dependsOnConnection === true;
    if (isRefresh) fillKeepingFocus(content, page.content);
    else fill(content, page.content);
    content.dataset.page = page.name ?? "";
    catalogShown = page.catalog ?? null;
    if (catalogShown) note(catalogShown).catch((error) => console.warn(error));
    content.removeAttribute("aria-busy");
    showMenu();
    showBar();
    if (!isRefresh && !isFirst) {
        scrollTo(0, 0);
        (content.querySelector("h1[tabindex]") ?? content).focus({ preventScroll: true });
    }
    if (!isOld) return;
    isOld = false;
    await showPage({ isRefresh: true, isByItself: true });
}

/** Records the promotions on the page, and reports them. @param {import("./catalog.js").Catalog} catalog */
async function note(catalog) {
    const marks = content.querySelectorAll("[data-promotion]");
    await noteShowings(catalog, new Set(Array.from(marks, (mark) => mark.dataset.promotion)), state.me);
    if (state.online && (await outbox()).some(({ table }) => table === "showings")) await sync();
}

/** Shows the page again if other promotions apply by now: the time or the place has changed. */
async function checkPromotions() {
    if (catalogShown === null || document.visibilityState !== "visible" || isWrittenOn()) return;
    const catalog = await loadCatalog();
    await decidePromotions(catalog, state.me);
    if (promotionKey(catalog) !== promotionKey(catalogShown)) await showPage({ isRefresh: true, isByItself: true });
}

/** Whether the page has input in progress; false while another page is loading. */
function isWrittenOn() {
    if (isMaking) return false;
    return isTouched || content.querySelector("form:focus-within") !== null;
}

async function makePage() {
    try {
        const route = routeOf(location.pathname);
        if (route === null) return notFoundPage();
        if (route.isPersonal && state.node !== null) return farmOnlyPage(state.node);
        const [{ show }, catalog] = await Promise.all([route.load(), loadCatalog()]);
        await decidePromotions(catalog, state.me);
        const page = await show(context, catalog, ...route.parameters);
        return { ...(page ?? notFoundPage()), catalog, section: route.section };
    } catch (error) {
        console.error(error);
        return errorPage(t`Something went wrong. Your orders are safe.`, () => showPage());
    }
}

function errorPage(text, onclick) {
    const again = h("button.button", { type: "button", onclick }, t`Try again`);
    return { title: t`Error`, name: "trouble", content: [h("h1", { tabindex: "-1" }, t`This page cannot be shown`),
        nothingYet("warning", text, again)] };
}

function notFoundPage() {
    const title = t`Page not found`;
    const way = h("a.button", { href: "/" }, t`Go to the start page`);
    return { title, name: "missing", content: [h("h1", { tabindex: "-1" }, title),
        nothingYet("info", t`There is nothing at this address.`, way)] };
}

function showMenu() {
    const items = menu.map(([path, text, drawing]) => h("li", null,
        h("a", { href: path, "aria-current": path === state.section && "page", "data-key": `menu ${path}` },
            icon(drawing), text, path === "/cart" && state.cart > 0 && h("span.count", null,
                h("span.hidden", null, ", "), String(state.cart), h("span.hidden", null, t` in it`)))));
    const who = state.me
        ? h("a.account-name", { href: "/settings" }, state.me.name)
        : h("a.button.button-quiet", { href: "/sign-in" }, t`Sign in`);
    fillKeepingFocus(header, h("p.brand", null, h("a", { href: "/" }, icon("sprout"), t`Furrow`)),
        h("nav.menu", { "aria-label": t`Main` }, h("ul", { role: "list" }, items)), h("div.account", null, who));
}

/** Shows the status bar, the most important line first. */
function showBar() {
    const lines = state.recalls.map(recallLine);
    if (!state.online) {
        const text = t`No connection. You see the last saved state; orders are saved and sent later.`
            + (keepsPages ? ""
                : t` Leave this page open: it was loaded over plain http and does not open without a connection.`);
        lines.push(line("offline", text));
    }
    if (state.online && state.node !== null) {
        lines.push(line("info", copyText(state.node), farmLink(state.node)));
    }
    if (state.unsent > 0) {
        const text = state.unsent === 1 ? t`1 order is not sent yet.` : t`${state.unsent} orders are not sent yet.`;
        const needsName = state.signIn && h("a.button", { href: "/sign-in" }, t`Sign in to send`);
        const look = state.unsent === 1 ? t`View order` : t`View orders`;
        const way = content.dataset.page !== "orders" && h("a", { href: "/orders" }, look);
        lines.push(line("clock", text, needsName || way));
    }
    if (state.refused > 0) {
        lines.push(line("warning", t`The farm could not accept an order.`, h("a", { href: "/orders" }, t`See why`)));
    }
    if (state.waiting > 0) {
        const button = h("button.button", { type: "button", "data-key": "apply", onclick: applyUpdates }, t`Apply`);
        lines.push(line("info", t`Updates are available (${state.waiting}). Apply them?`, button));
    }
    if (state.done) lines.push(line(state.done.drawing, state.done.text));
    fillKeepingFocus(bar, lines.length > 0 && h("div.state-bar", { role: "region", "aria-label": t`Status` }, lines));
}

function recallLine(order) {
    const button = h("button.button.button-quiet", {
        type: "button", "data-key": `know ${order.id}`, onclick: async () => {
            await dismissRecall(order);
            await count();
        },
    }, t`Dismiss`);
    return h("p.bar-line.bar-recall", { "data-bar": "recall" }, icon("warning"),
        h("span", null, h("strong", null, t`Do not eat it. `), t`Something you ordered was recalled:
            ${order.recalled}`),
        h("a", { href: `/orders/${order.id}` }, t`View order`), button);
}

function line(drawing, text, ...more) {
    return h("p.bar-line", { "data-bar": drawing }, icon(drawing), h("span", null, text), more);
}

async function applyUpdates() {
    const { applied, failed, pictures } = await apply();
    const problems = [
        failed > 0 && t`${failed} ${failed === 1 ? t`record` : t`records`} failed`,
        pictures > 0 && t`${pictures} ${pictures === 1 ? t`picture` : t`pictures`} did not arrive`,
    ].filter(Boolean);
    const text = problems.length > 0 ? t`Updated; ${problems.join(", ")}.` : t`Updated: ${applied} changes.`;
    context.say(problems.length > 0 ? "warning" : "check", text);
    await count();
}

async function count() {
    const [updates, rows, lines, recalls] = await Promise.all([waiting(), outbox(), cartLines(), openRecalls()]);
    const orders = entriesOf(rows, state.me).filter((row) => row.table === "orders");
    if (recalls.length > state.recalls.length) context.announce(t`Something you ordered was recalled. Do not eat it.`);
    state.recalls = recalls;
    state.waiting = updates;
    state.unsent = orders.filter((row) => row.state === "waiting").length;
    state.refused = orders.filter((row) => row.state === "refused").length;
    state.cart = lines.reduce((total, { quantity }) => total + quantity, 0);
    showMenu();
    showBar();
}

/** Takes over the person that the server reports as signed in. @param {any} me */
async function setPerson(me) {
    if (me?.language && choose(me.language)) location.reload();
    if (me?.person === state.me?.person && me?.name === state.me?.name) return;
    // A person whose session has ended stays known while their orders wait for a sign-in.
    const waits = ({ table }) => table !== "showings";
    if (me === null && entriesOf(await outbox(), state.me).some(waits)) {
        state.signIn = true;
        return;
    }
    state.me = me;
    state.signIn = false;
    await saveValue("me", me);
    notifyChange("me");
}

let running = null;
let next = null;

/** Sends the outbox, then pulls changes. Calls during a run share one further run. */
function sync() {
    if (running === null) {
        running = syncOnce().finally(() => {
            running = null;
        });
        return running;
    }
    next ??= running.catch(() => {}).then(() => {
        next = null;
        return sync();
    });
    return next;
}

async function syncOnce() {
    const sent = await flush();
    state.signIn = sent.signIn;
    const wasOnline = state.online;
    try {
        const { me, node } = await pull();
        state.online = true;
        state.node = node;
        await saveValue("node", node);
        await setPerson(me);
    } catch (error) {
        if (!(error instanceof PullFailed)) throw error;
        state.online = false;
    }
    if (wasOnline !== state.online && dependsOnConnection) await showPage({ isRefresh: true, isByItself: true });
    if (sent.sent > 0) context.announce(sent.sent === 1 ? t`Sent.` : t`${sent.sent} changes sent.`);
    await count();
}

onChange(async (what) => {
    if (what === "me") state.me = await readValue("me");
    await count();
    if (what === "cart" && content.dataset.page === "cart") {
        await showPage({ isRefresh: true });
        return;
    }
    if (what === "updates" || what === "cart" || isWrittenOn()) return;
    await showPage({ isRefresh: true, isByItself: true });
});
content.addEventListener("input", () => {
    isTouched = true;
});
addEventListener("popstate", () => showPage());
addEventListener("online", () => sync());
addEventListener("offline", () => {
    state.online = false;
    showBar();
});
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") sync();
});
document.addEventListener("click", (event) => handleLinkClick(event, (path) => routeOf(path) !== null));
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
});

// Redirects the staff's addresses of older builds.
if (location.pathname === "/" && location.hash.startsWith("#/")) location.replace(`/staff${location.hash}`);

try {
    await begin();
} catch (error) {
    console.error(error);
    const text = t`This browser’s storage does not respond. Without it, nothing can be saved or ordered here.`;
    const { name, content: shown } = errorPage(text, () => location.reload());
    fill(content, shown);
    content.dataset.page = name;
    content.removeAttribute("aria-busy");
    throw error;
}

async function begin() {
    state.me = await readValue("me");
    state.node = await readValue("node");
    await count();
    if ((await readValue("pulled")) !== null) {
        await showPage();
        sync();
        return;
    }
    // There are no records yet: wait for the first pull, with a limit.
    await Promise.race([sync(), new Promise((resolve) => setTimeout(resolve, Limits.patienceMilliseconds))]);
    if (content.dataset.page === undefined) {
        await showPage();
        return;
    }
    // The pull's notification has shown the page already, and it may have input in progress.
    await showPage({ isRefresh: true, isByItself: true });
}

followSignals({ isOnline: () => state.online, hasAccount: () => state.me !== null, sync });
watchPromotions(() => checkPromotions().catch((error) => console.warn(error)));
setInterval(() => {
    if (document.visibilityState === "visible") sync();
}, Limits.pollMilliseconds);
try {
    if (await navigator.serviceWorker?.register("/sw.js")) await cacheCatalogue();
    navigator.storage?.persist?.();
} catch {
    // Without storage or a secure context there is no service worker: the pages need the network.
}
