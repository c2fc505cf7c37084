/*
 * Keeps the pages themselves, so that they open without a network. Answers of the server are never kept here: what a
 * phone remembers of a farm is verified first and lies in IndexedDB.
 *
 * With a network the newest page is always shown; the kept one is for when there is none.
 */
const shell = "furrow-shell-v1";
const library = "furrow-library";
const patience = 6_000;
const assets = [
    "/assets/css/base.css", "/assets/css/story.css", "/assets/icons/furrow.svg", "/assets/js/chart.js",
    "/assets/js/dom.js", "/assets/js/format.js", "/assets/js/groups.js", "/assets/js/icons.js",
    "/assets/js/store.js", "/assets/js/zones.js", "/assets/js/story/badge.js", "/assets/js/story/climate.js",
    "/assets/js/story/farm.js", "/assets/js/story/page.js", "/assets/js/story/proof.js",
    "/assets/js/story/timeline.js", "/assets/js/story/visit.js", "/assets/js/story/words.js",
    "/assets/js/verify/bytes.js", "/assets/js/verify/entry.js", "/assets/js/verify/keys.js",
    "/assets/js/verify/label.js", "/assets/js/verify/merkle.js", "/assets/js/verify/note.js",
    "/assets/js/verify/passport.js", "/assets/js/verify/refusal.js", "/assets/js/verify/verify.js",
];
const storyPage = "/assets/story.html";
const storyAddress = /^\/(S1[A-Z0-9]{4}[A-Z2-7]+\/)?01\//i;

self.addEventListener("install", (event) => {
    event.waitUntil(keepShell());
});

self.addEventListener("activate", (event) => {
    event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== self.location.origin) return;
    if (request.mode === "navigate" && storyAddress.test(url.pathname)) {
        event.respondWith(freshOrKept(request, storyPage, shell));
    } else if (url.pathname.startsWith("/assets/lib/")) {
        event.respondWith(freshOrKept(request, url.pathname, library));
    } else if (assets.includes(url.pathname)) {
        event.respondWith(freshOrKept(request, url.pathname, shell));
    }
});

async function keepShell() {
    const cache = await caches.open(shell);
    await cache.addAll([storyPage, ...assets].map((path) => new Request(path, { cache: "reload" })));
    await self.skipWaiting();
}

async function takeOver() {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith("furrow-") && name !== shell && name !== library);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
}

/** What the network has, and keeps it; what was kept if the network is silent, slow or in trouble. */
async function freshOrKept(request, path, name) {
    const cache = await caches.open(name);
    const fresh = fetchAndKeep(request, path, cache);
    const kept = await cache.match(path);
    if (!kept) return fresh;
    const late = new Promise((resolve) => setTimeout(resolve, patience, kept));
    return Promise.race([fresh, late]).then((response) => (response.status >= 500 ? kept : response), () => kept);
}

async function fetchAndKeep(request, path, cache) {
    const response = await fetch(request);
    if (response.ok && response.type === "basic" && !response.redirected) await cache.put(path, response.clone());
    return response;
}
