/** The photographs of a story. Each is shown only if its bytes have the digest that the farm signed. */
import { fill, h, when } from "../common/dom.js";
import { dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";

/** The photographs of verified stories, for later visits without a network. */
const cacheName = "furrow-story-pictures";
const cachedAtMost = 300;

/** A picture's bytes are not those that the farm signed. */
class WrongBytes extends Error {}

/** Returns the photographs as a list. @param {import("../verify/passport.js").Story} story @returns {HTMLElement} */
export function photographs(story) {
    return h("ul.story-photographs", { role: "list" }, story.photographs.map((one) => figure(one, story.farm.zone)));
}

/** @param {import("../verify/passport.js").Photograph} one @param {string} zone */
function figure(one, zone) {
    const taken = one.taken === null ? null : dayAndClock(one.taken, zone);
    const words = [one.place, taken].filter(Boolean).join(", ");
    const frame = h("button.story-photograph", { type: "button", disabled: true, "data-state": "waiting",
        "aria-expanded": "false" });
    frame.style.aspectRatio = `${one.width} / ${one.height}`;
    frame.addEventListener("click", () => {
        const isLarge = frame.closest("li").classList.toggle("is-large");
        frame.setAttribute("aria-expanded", String(isLarge));
        if (isLarge) load(frame, one.preview, words);
    });
    whenSeen(frame, async () => {
        frame.disabled = !(await load(frame, one.thumbnail, words));
    });
    return h("li", null, h("figure", null, frame, h("figcaption", null, one.place,
        taken && [h("br"), when(one.taken, taken)])));
}

/** Loads a picture into its frame. @returns {Promise<boolean>} whether it is shown */
async function load(frame, digest, words) {
    try {
        const image = h("img", { src: URL.createObjectURL(await picture(digest)), alt: t`Photograph: ${words}` });
        await image.decode();
        URL.revokeObjectURL(image.src);
        frame.dataset.state = "shown";
        fill(frame, image);
        return true;
    } catch (error) {
        if (frame.querySelector("img")) return true;
        frame.dataset.state = error instanceof WrongBytes ? "wrong" : "missing";
        fill(frame, h("span.quiet", null, error instanceof WrongBytes
            ? t`This is not the picture that the farm signed, so it is not shown.`
            : t`This picture cannot be loaded from here.`));
        return false;
    }
}

/** Returns a verified picture, from this phone or the network. @param {string} digest @returns {Promise<Blob>} */
async function picture(digest) {
    const address = `/media/${encodeURIComponent(digest)}`;
    const cache = await caches.open(cacheName).catch(() => null);
    const cached = await cache?.match(address);
    if (cached) {
        const blob = await cached.blob();
        if (await isRight(blob, digest)) return blob;
    }
    const response = await fetch(address, { credentials: "omit" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const blob = await response.blob();
    if (!(await isRight(blob, digest))) throw new WrongBytes();
    await store(cache, address, blob);
    return blob;
}

async function isRight(blob, digest) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
    return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("") === digest;
}

async function store(cache, address, blob) {
    try {
        await cache?.put(address, new Response(blob, { headers: { "Content-Type": "image/webp" } }));
        const all = await cache?.keys() ?? [];
        for (const oldest of all.slice(0, Math.max(0, all.length - cachedAtMost))) await cache.delete(oldest);
    } catch {
        // There is no room: the next visit loads the picture again.
    }
}

/** Calls `body` when the element is about to be seen. */
function whenSeen(element, body) {
    const observer = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        body();
    }, { rootMargin: "300px" });
    observer.observe(element);
}
