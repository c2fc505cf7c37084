/*
 * The service worker: caches the pages for offline use. API responses are not cached here; they are in IndexedDB, a
 * story only after it was verified.
 *
 * Requests are network first; the cache is used if the network fails or is slow. Scripts and styles of this build never
 * change: the network is used if they are not cached.
 */
/** The hash of the build, which the server writes here. */
const build = "BUILD";
/** The pages of one build, complete, as modules of two builds do not fit together. */
const shell = `furrow-shell-${build}`;
/** The chart library, maps of the operator, and catalogues of languages. */
const library = "furrow-library";
/** The staff's pages and the reference for programmers, as far as they were opened in this browser. */
const staff = "furrow-staff";
/** Pictures, which the shop stores with its updates; they never change. */
const media = "furrow-media";
/** Pictures that the staff's pages store: plans of inventories. */
const staffMedia = "furrow-staff-pictures";
/** The part of an address that names a build: files are cached without it. */
const buildPart = /^\/assets\/[0-9a-f]{32}\//;
const slowNetworkMilliseconds = 6_000;
const assets = [
    "/assets/css/app.css", "/assets/css/base.css", "/assets/css/shop.css", "/assets/css/story.css",
    "/assets/icons/furrow.svg", "/assets/js/common/access.js", "/assets/js/common/api.js", "/assets/js/common/cache.js",
    "/assets/js/common/choices.js", "/assets/js/common/contents.js",
    "/assets/js/common/chart.js", "/assets/js/common/dom.js", "/assets/js/common/draft.js",
    "/assets/js/common/fields.js", "/assets/js/common/form.js", "/assets/js/common/format.js",
    "/assets/js/common/groups.js", "/assets/js/common/icons.js", "/assets/js/common/idempotency.js",
    "/assets/js/common/language-form.js", "/assets/js/common/language.js", "/assets/js/common/opening-times.js",
    "/assets/js/common/outbox.js", "/assets/js/common/parts.js", "/assets/js/common/push.js",
    "/assets/js/common/storage.js",
    "/assets/js/common/stream.js", "/assets/js/common/units.js", "/assets/js/common/zones.js",
    "/assets/js/shop/address.js",
    "/assets/js/shop/cart.js", "/assets/js/shop/catalog.js", "/assets/js/shop/favourites.js",
    "/assets/js/shop/live.js", "/assets/js/shop/local-copy.js", "/assets/js/shop/main.js",
    "/assets/js/shop/map-groups.js", "/assets/js/shop/map.js", "/assets/js/shop/maps.js",
    "/assets/js/shop/order-actions.js", "/assets/js/shop/order-text.js", "/assets/js/shop/outbox.js",
    "/assets/js/scan/ean.js", "/assets/js/scan/finders.js", "/assets/js/scan/photograph.js",
    "/assets/js/scan/pixels.js", "/assets/js/scan/qr.js",
    "/assets/js/scan/reed-solomon.js", "/assets/js/scan/sampling.js", "/assets/js/scan/scanner.js",
    "/assets/js/scan/segments.js", "/assets/js/scan/symbol.js", "/assets/js/scan/target.js",
    "/assets/js/shop/pages/cart.js", "/assets/js/shop/pages/change-order.js", "/assets/js/shop/pages/checkout.js",
    "/assets/js/shop/pages/county.js", "/assets/js/shop/pages/directory.js", "/assets/js/shop/pages/farm.js",
    "/assets/js/shop/pages/forgot.js", "/assets/js/shop/pages/order.js", "/assets/js/shop/pages/orders.js",
    "/assets/js/shop/pages/product.js", "/assets/js/shop/pages/promotions.js",
    "/assets/js/shop/pages/reset.js", "/assets/js/shop/pages/settings.js",
    "/assets/js/shop/pages/shop.js", "/assets/js/shop/pages/sign-in.js", "/assets/js/shop/pages/start.js",
    "/assets/js/shop/parts.js", "/assets/js/shop/position.js", "/assets/js/shop/preferences-form.js",
    "/assets/js/shop/preferences.js", "/assets/js/shop/promotion-rules.js", "/assets/js/shop/promotions.js",
    "/assets/js/shop/produce.js", "/assets/js/shop/recalls.js", "/assets/js/shop/refill.js",
    "/assets/js/shop/router.js",
    "/assets/js/shop/scan.js", "/assets/js/shop/secure.js", "/assets/js/shop/suggestion-text.js",
    "/assets/js/shop/suggestions.js",
    "/assets/js/shop/sync.js", "/assets/js/shop/viewed.js", "/assets/js/shop/wanted.js",
    "/assets/js/story/badge.js", "/assets/js/story/climate.js",
    "/assets/js/story/farm-api.js", "/assets/js/story/page.js", "/assets/js/story/photographs.js",
    "/assets/js/story/proof.js", "/assets/js/story/report-page.js",
    "/assets/js/story/store.js", "/assets/js/story/text.js",
    "/assets/js/story/timeline.js", "/assets/js/story/verification.js", "/assets/js/verify/bytes.js",
    "/assets/js/verify/entry.js", "/assets/js/verify/failure.js", "/assets/js/verify/keys.js",
    "/assets/js/verify/gtin.js", "/assets/js/verify/label.js",
    "/assets/js/verify/merkle.js", "/assets/js/verify/note.js", "/assets/js/verify/passport.js",
    "/assets/js/verify/report.js",
    "/assets/js/verify/verify.js", "/assets/maps/index.json", "/assets/maps/kentucky.json",
    "/assets/maps/north-carolina.json", "/assets/maps/own.json", "/assets/maps/tennessee.json",
    "/assets/maps/virginia.json",
];
const storyPage = "/assets/story.html";
const reportPage = "/assets/report.html";
const missingPage = "/assets/not-found.html";
const referencePage = "/assets/docs.html";
const shopPage = "/assets/index.html";
const staffPage = "/assets/staff.html";
const alarmsPage = "/staff#/alarms";
const shopPages = "directory|farms|shop|products|cart|checkout|orders|promotions|settings|sign-in|forgot|reset";
const shopAddress = new RegExp(`^/((${shopPages})(/|$)|$)`);
const storyAddress = /^\/(S1[A-Z0-9]{4}[A-Z2-7]+\/)?01\//i;

/** Addresses that do not get the page for unknown addresses: files, API, and pages that are not cached. */
const otherAddress = /^\/(assets|media|v1|ledger|staff|app|setup|forgot|reset)(\/|$)|^\/openapi\.json$/;

self.addEventListener("install", (event) => {
    event.waitUntil(cacheShell());
});

self.addEventListener("activate", (event) => {
    event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== "GET" || url.origin !== self.location.origin) return;
    if (request.mode === "navigate" && storyAddress.test(url.pathname)) {
        event.respondWith(networkFirst(event, storyPage, shell));
    } else if (request.mode === "navigate" && url.pathname === "/check-report") {
        event.respondWith(networkFirst(event, reportPage, shell));
    } else if (request.mode === "navigate" && shopAddress.test(url.pathname)) {
        event.respondWith(networkFirst(event, shopPage, shell));
    } else if (request.mode === "navigate" && url.pathname === "/staff") {
        event.respondWith(networkFirst(event, staffPage, staff));
    } else if (request.mode === "navigate" && url.pathname === "/docs") {
        event.respondWith(networkFirst(event, referencePage, staff));
    } else if (request.mode === "navigate" && !otherAddress.test(url.pathname)) {
        event.respondWith(fetch(request).catch(() => notFound()));
    } else if (url.pathname.startsWith("/media/")) {
        event.respondWith(cacheFirst(request, url.pathname));
    } else if (/^\/assets\/(lib|languages|maps\/own)\//.test(url.pathname)) {
        event.respondWith(networkFirst(event, url.pathname, library));
    } else {
        respondWithFile(event, url.pathname);
    }
});

/** Responds to a request for a file of the pages. */
function respondWithFile(event, address) {
    const path = address.replace(buildPart, "/assets/");
    if (assets.includes(path)) {
        event.respondWith(address.startsWith(`/assets/${build}/`)
            ? cacheFirst(event.request, path, shell) : networkFirst(event, path, shell));
    } else if (/^\/assets\/(js\/staff|css)\//.test(path)) {
        event.respondWith(networkFirst(event, path, staff));
    }
}

self.addEventListener("push", (event) => {
    event.waitUntil(showMessage(event.data));
});

self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(openPage(event.notification.data?.link));
});

self.addEventListener("pushsubscriptionchange", (event) => {
    event.waitUntil(renewSubscription(event));
});

/** Sends a subscription that the browser replaced to the farm. The push service ends the old one with 404 or 410. */
async function renewSubscription({ newSubscription, oldSubscription }) {
    const fresh = newSubscription ?? await self.registration.pushManager.subscribe({
        userVisibleOnly: true, applicationServerKey: oldSubscription.options.applicationServerKey,
    });
    const { endpoint, keys } = fresh.toJSON();
    await fetch("/v1/me/channels", {
        method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
        body: JSON.stringify({ endpoint, p256dh: keys.p256dh, auth: keys.auth }),
    });
}

/** Shows a notification. A push that cannot be read is shown, too: browsers require one for each push. */
async function showMessage(data) {
    let message = {};
    try {
        message = data?.json() ?? {};
    } catch {
        // Not JSON: the texts below are shown.
    }
    const { title = "Alarm", body = "Open the page Alarms.", link = alarmsPage, tag } = message;
    await self.registration.showNotification(title, {
        body, tag, data: { link }, icon: "/assets/icons/furrow.svg",
        // An alarm stays until a person reacts.
        requireInteraction: link.startsWith("/staff"),
    });
}

/** Opens a page of this site, in a tab that shows it already if there is one. */
async function openPage(link = alarmsPage) {
    const url = new URL(link, self.location.origin);
    if (url.origin !== self.location.origin) return;
    const tabs = await self.clients.matchAll({ type: "window" });
    const tab = tabs.find((one) => new URL(one.url).pathname === url.pathname);
    if (tab === undefined) {
        await self.clients.openWindow(url.href);
        return;
    }
    const shown = await tab.navigate(url.href);
    await (shown ?? tab).focus();
}

async function cacheShell() {
    const cache = await caches.open(shell);
    await Promise.all([storyPage, reportPage, shopPage, missingPage, ...assets].map((path) => cacheFile(cache, path)));
    await renewStaff();
    await self.skipWaiting();
}

/** Caches a file of this build. What the page has loaded already is not transferred again. */
async function cacheFile(cache, path) {
    const isScriptOrStyle = /^\/assets\/(js|css)\//.test(path);
    const response = isScriptOrStyle
        ? await fetch(path.replace("/assets/", `/assets/${build}/`)) : await fetch(path, { cache: "reload" });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await cache.put(path, response);
}

/** Replaces the staff's cached files by those of this build; files that do not exist any more are deleted. */
async function renewStaff() {
    const cache = await caches.open(staff);
    const cached = await cache.keys();
    const fresh = await Promise.all(cached.map(({ url }) => fetch(url, { cache: "reload" })));
    await Promise.all(fresh.map((one, index) =>
        (one.ok ? cache.put(cached[index], one) : cache.delete(cached[index]))));
}

async function takeOver() {
    const names = await caches.keys();
    const current = [shell, library, staff, media, staffMedia];
    const old = names.filter((name) => name.startsWith("furrow-") && !current.includes(name));
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
}

/**
 * Returns the network's response, or the cached one if the network fails, is slow or returns a server error. It does
 * not wait for the cache if the network responds. Responses are cached, except for the shell, which changes as a whole.
 */
async function networkFirst(event, path, name) {
    const fresh = fetch(event.request);
    if (name !== shell) event.waitUntil(store(fresh.then((response) => response.clone()), path, name));
    const cached = caches.open(name).then((cache) => cache.match(path)).catch(() => undefined);
    const late = new Promise((resolve) => setTimeout(resolve, slowNetworkMilliseconds)).then(() => cached)
        .then((one) => one ?? fresh);
    late.catch(() => {});
    return Promise.race([fresh, late]).then(
        async (response) => (response.status >= 500 ? (await cached) ?? response : response),
        async () => (await cached) ?? Response.error());
}

/** Returns the page for unknown addresses when there is no network. */
async function notFound() {
    const cached = await (await caches.open(shell)).match(missingPage);
    if (cached === undefined) return Response.error();
    return new Response(await cached.text(), { status: 404, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** Returns the cached file, or loads it. For files whose address names their content, which never changes. */
async function cacheFirst(request, path, cacheName) {
    return (await caches.match(path, { cacheName }).catch(() => undefined)) ?? fetch(request);
}

/** Caches a response. Errors are ignored, as the file can be loaded again. */
async function store(fresh, path, name) {
    try {
        const response = await fresh;
        if (!response.ok || response.type !== "basic" || response.redirected) return;
        await (await caches.open(name)).put(path, response);
    } catch {
        // No network, or no space.
    }
}
