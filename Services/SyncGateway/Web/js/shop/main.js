/**
 * The buyers' pages: menu, the bar that tells how things stand with the farm server, and the page of the address.
 */
import { fill, h } from "../common/dom.js";
import { icon } from "../common/icons.js";
import { nothingYet } from "../common/parts.js";
import { exclusively, fact, keepFact, onChange, tell } from "../common/storage.js";
import { stream } from "../common/stream.js";
import { takeClick } from "./address.js";
import { cartLines } from "./cart.js";
import { loadCatalog } from "./catalog.js";
import { flush, mine, outbox } from "./outbox.js";
import { know, untoldRecalls } from "./recalls.js";
import { refill } from "./refill.js";
import { routeOf } from "./router.js";
import { keepsPages } from "./secure.js";
import { apply, NoNews, pull, waiting } from "./sync.js";

const Limits = {
    pollMilliseconds: 45_000, spreadMilliseconds: 2_000, patienceMilliseconds: 4_000, doneMilliseconds: 5_000,
    warningMilliseconds: 20_000,
};
const content = document.querySelector("#content");
const header = document.querySelector("#top");
const bar = document.querySelector("#bar");
const announcements = document.querySelector("#announcements");
const menu = [
    ["/", "Start", "home"], ["/directory", "Farms", "field"], ["/shop", "Shop", "harvested"],
    ["/cart", "Cart", "packed"], ["/orders", "Orders", "handed-over"],
];

const state = {
    me: null, signIn: false, online: true, waiting: 0, unsent: 0, refused: 0, cart: 0, section: null, done: null,
    recalls: [],
};
let leave = () => {};
let turn = 0;
/** Whether the page of another address is being made; and whether it may have read what has changed since. */
let isMaking = false;
let isOld = false;
/** Whether somebody has begun to write on this page: then news must not take it from under their hands. */
let isTouched = false;
/** Whether the page offers something else where nobody answers. */
let dependsOnConnection = false;

/**
 * @typedef {object} Context what a page is given
 * @property {any} me who is signed in on this browser, null if nobody
 * @property {() => boolean} isOnline whether the farm server answered the last time it was asked
 * @property {() => boolean} needsSignIn whether nothing can be sent before somebody signs in
 * @property {() => Promise<void>} refresh shows the same page again
 * @property {() => Promise<void>} sync sends what waits, gets what is new
 * @property {(account: any) => Promise<void>} enter somebody has signed in
 * @property {(drawing: string, text: string) => void} say tells something in the bar for a while
 * @property {(text: string) => void} announce says something to those who do not see the page
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
        // What is on its way may still answer who it was before.
        await running?.catch(() => {});
        await recognise(account);
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

/** Shows what the address names; the newest call wins. What comes by itself leaves a page alone that is written on. */
async function showPage({ isRefresh = false, isByItself = false } = {}) {
    if (isByItself && isMaking) {
        isOld = true;
        return;
    }
    if (!isByItself) turn += 1;
    const mine = turn;
    isMaking ||= !isRefresh;
    if (!isRefresh) content.setAttribute("aria-busy", "true");
    const page = await makePage();
    if (mine !== turn || (isByItself && isWrittenOn())) return;
    isMaking = false;
    isTouched = false;
    leave();
    leave = page.leave ?? (() => {});
    document.title = page.title === "Furrow" ? "Furrow" : `${page.title} – Furrow`;
    state.section = page.section ?? null;
    dependsOnConnection = page.dependsOnConnection === true;
    if (isRefresh) refill(content, page.content);
    else fill(content, page.content);
    content.dataset.page = page.name ?? "";
    content.removeAttribute("aria-busy");
    showMenu();
    showBar();
    if (!isRefresh && turn > 1) {
        scrollTo(0, 0);
        (content.querySelector("h1[tabindex]") ?? content).focus({ preventScroll: true });
    }
    if (!isOld) return;
    isOld = false;
    await showPage({ isRefresh: true, isByItself: true });
}

/** Whether somebody writes on the page; on one that is being left it is of no account. */
function isWrittenOn() {
    if (isMaking) return false;
    return isTouched || content.querySelector("form:focus-within") !== null;
}

async function makePage() {
    try {
        const route = routeOf(location.pathname);
        if (route === null) return missing();
        const [{ show }, catalog] = await Promise.all([route.load(), loadCatalog()]);
        const page = await show(context, catalog, ...route.parameters);
        return { ...(page ?? missing()), section: route.section };
    } catch (error) {
        console.error(error);
        return trouble("Something went wrong. Your orders are safe.", () => showPage());
    }
}

function trouble(text, onclick) {
    const again = h("button.button", { type: "button", onclick }, "Try again");
    return { title: "Error", name: "trouble", content: [h("h1", { tabindex: "-1" }, "This page cannot be shown"),
        nothingYet("warning", text, again)] };
}

function missing() {
    const title = "Page not found";
    const way = h("a.button", { href: "/" }, "Go to the start page");
    return { title, name: "missing", content: [h("h1", { tabindex: "-1" }, title),
        nothingYet("info", "There is nothing at this address.", way)] };
}

function showMenu() {
    const items = menu.map(([path, text, drawing]) => h("li", null,
        h("a", { href: path, "aria-current": path === state.section && "page", "data-key": `menu ${path}` },
            icon(drawing), text, path === "/cart" && state.cart > 0 && h("span.count", null,
                h("span.hidden", null, ", "), String(state.cart), h("span.hidden", null, " in it")))));
    const who = state.me
        ? h("a.account-name", { href: "/settings" }, state.me.name)
        : h("a.button.button-quiet", { href: "/sign-in" }, "Sign in");
    refill(header, h("p.brand", null, h("a", { href: "/" }, icon("sprout"), "Furrow")),
        h("nav.menu", { "aria-label": "Main" }, h("ul", { role: "list" }, items)), h("div.account", null, who));
}

/** What people should know of this device and the server, most important first. */
function showBar() {
    const lines = state.recalls.map(recallLine);
    if (!state.online) {
        const text = "No connection. You see the last saved state; orders are saved and sent later."
            + (keepsPages ? ""
                : " Leave this page open: it was loaded over plain http and does not open without a connection.");
        lines.push(line("offline", text));
    }
    if (state.unsent > 0) {
        const text = state.unsent === 1 ? "1 order is not sent yet." : `${state.unsent} orders are not sent yet.`;
        const needsName = state.signIn && h("a.button", { href: "/sign-in" }, "Sign in to send");
        const look = state.unsent === 1 ? "View order" : "View orders";
        const way = content.dataset.page !== "orders" && h("a", { href: "/orders" }, look);
        lines.push(line("clock", text, needsName || way));
    }
    if (state.refused > 0) {
        lines.push(line("warning", "The farm could not accept an order.", h("a", { href: "/orders" }, "See why")));
    }
    if (state.waiting > 0) {
        const button = h("button.button", { type: "button", "data-key": "apply", onclick: applyUpdates }, "Apply");
        lines.push(line("info", `Updates are available (${state.waiting}). Apply them?`, button));
    }
    if (state.done) lines.push(line(state.done.drawing, state.done.text));
    refill(bar, lines.length > 0 && h("div.state-bar", { role: "region", "aria-label": "Status" }, lines));
}

function recallLine(order) {
    const button = h("button.button.button-quiet", {
        type: "button", "data-key": `know ${order.id}`, onclick: async () => {
            await know(order);
            await count();
        },
    }, "Dismiss");
    return h("p.bar-line.bar-recall", { "data-bar": "recall" }, icon("warning"),
        h("span", null, h("strong", null, "Do not eat it. "), `Something you ordered was recalled: ${order.recalled}`),
        h("a", { href: `/orders/${order.id}` }, "View order"), button);
}

function line(drawing, text, ...more) {
    return h("p.bar-line", { "data-bar": drawing }, icon(drawing), h("span", null, text), more);
}

async function applyUpdates() {
    const { applied, failed, pictures } = await apply();
    const problems = [
        failed > 0 && `${failed} ${failed === 1 ? "record" : "records"} failed`,
        pictures > 0 && `${pictures} ${pictures === 1 ? "picture" : "pictures"} did not arrive`,
    ].filter(Boolean);
    const text = problems.length > 0 ? `Updated; ${problems.join(", ")}.` : `Updated: ${applied} changes.`;
    context.say(problems.length > 0 ? "warning" : "check", text);
    await count();
}

async function count() {
    const [updates, rows, lines, recalls] = await Promise.all([waiting(), outbox(), cartLines(), untoldRecalls()]);
    const orders = mine(rows, state.me).filter((row) => row.table === "orders");
    if (recalls.length > state.recalls.length) context.announce("Something you ordered was recalled. Do not eat it.");
    state.recalls = recalls;
    state.waiting = updates;
    state.unsent = orders.filter((row) => row.state === "waiting").length;
    state.refused = orders.filter((row) => row.state === "refused").length;
    state.cart = lines.reduce((total, { quantity }) => total + quantity, 0);
    showMenu();
    showBar();
}

/** @param {any} me who the server says is signed in */
async function recognise(me) {
    if (me?.person === state.me?.person && me?.name === state.me?.name) return;
    // Somebody whose session is over stays known while orders of theirs wait for a new one.
    if (me === null && mine(await outbox(), state.me).length > 0) {
        state.signIn = true;
        return;
    }
    state.me = me;
    state.signIn = false;
    await keepFact("me", me);
    tell("me");
}

let running = null;
let next = null;

/** Sends what waits, gets what is new. Calls that come meanwhile share one more run, which begins after this one. */
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
        const { me } = await pull();
        state.online = true;
        await recognise(me);
    } catch (error) {
        if (!(error instanceof NoNews)) throw error;
        state.online = false;
    }
    if (wasOnline !== state.online && dependsOnConnection) await showPage({ isRefresh: true, isByItself: true });
    if (sent.sent > 0) context.announce(sent.sent === 1 ? "Sent." : `${sent.sent} changes sent.`);
    await count();
}

onChange(async (what) => {
    if (what === "me") state.me = await fact("me");
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
document.addEventListener("click", (event) => takeClick(event, (path) => routeOf(path) !== null));
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    content.focus();
});

// Addresses that the staff had before the buyers had pages.
if (location.pathname === "/" && location.hash.startsWith("#/")) location.replace(`/staff${location.hash}`);

try {
    await begin();
} catch (error) {
    console.error(error);
    const text = "This browser’s storage does not respond. Without it, nothing can be saved or ordered here.";
    const { name, content: shown } = trouble(text, () => location.reload());
    fill(content, shown);
    content.dataset.page = name;
    content.removeAttribute("aria-busy");
    throw error;
}

async function begin() {
    state.me = await fact("me");
    await count();
    if ((await fact("pulled")) !== null) {
        await showPage();
        sync();
        return;
    }
    // Nothing is here yet: better a moment of waiting than an empty shop.
    await Promise.race([sync(), new Promise((resolve) => setTimeout(resolve, Limits.patienceMilliseconds))]);
    await showPage();
}

// Pulls when the server says that there is something new. One tab listens for all of them: a browser has few
// connections for one server. Visitors without an account are many: their pulls are spread over two seconds.
exclusively("furrow-live", () => new Promise(() => {
    const isWanted = () => state.online && globalThis.EventSource !== undefined;
    let isDue = false;
    const changed = () => {
        if (isDue) return;
        isDue = true;
        setTimeout(() => {
            isDue = false;
            sync();
        }, state.me === null ? Math.random() * Limits.spreadMilliseconds : 0);
    };
    stream("/v1/sync/live", { changed }, isWanted);
}));
setInterval(() => {
    if (document.visibilityState === "visible") sync();
}, Limits.pollMilliseconds);
try {
    await navigator.serviceWorker?.register("/sw.js");
    navigator.storage?.persist?.();
} catch {
    // Browsers refuse where storage is off or the connection is not secure; then pages need the network.
}
