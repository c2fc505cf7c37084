/**
 * A map of counties, drawn from their boundaries without map tiles or a third-party server. Farms that are close
 * together form a group that zooms in; at the highest zoom each farm is separate. A list beside the map is equivalent.
 */
import { h } from "../common/dom.js";
import { counted } from "../common/format.js";
import { t } from "../common/language.js";
import { nothingYet } from "../common/parts.js";
import { grouped, setApart } from "./map-groups.js";
import { isSame, mapsOf } from "./maps.js";

const space = "http://www.w3.org/2000/svg";
/** Sizes in pixels: touch area, dot, group, text. `closest`: map units per pixel at the highest zoom. */
const Limits = { touch: 44, dot: 7, group: 15, text: 13, closest: 0.06 };

/**
 * Returns a map for each state that has farms and boundaries.
 * @param {import("./catalog.js").Catalog} catalog
 * @param {(county: any) => string} address of a county's page
 * @returns {Promise<any>}
 */
export async function countyMap(catalog, address) {
    const regions = [...new Set(catalog.farms.map((farm) => farm.region).filter(Boolean))].sort();
    let maps = null;
    try {
        maps = await mapsOf(regions);
    } catch {
        return nothingYet("offline", t`The map is not on this device yet. It is loaded with the next connection.`);
    }
    if (maps.size === 0) {
        return nothingYet("info", t`There is no map for these farms. Use the list below.`);
    }
    const drawn = regions.filter((region) => maps.has(region)).map((region) => {
        const counties = catalog.counties.filter((county) => isSame(county.region, region));
        return new RegionMap(maps.get(region), region, counties, address).element;
    });
    const elsewhere = catalog.farms.filter((farm) => !maps.has(farm.region)).length;
    return [h("div.maps", null, drawn),
        elsewhere > 0 && h("p.quiet", null, t`${elsewhere} more in the list only: there is no map for them.`)];
}

/** The map of a state and its current view. */
class RegionMap {
    constructor(map, region, counties, address) {
        this.map = map;
        this.region = region;
        this.points = counties.flatMap((county) => county.farms)
            .filter((farm) => Number.isFinite(farm.latitude) && Number.isFinite(farm.longitude))
            .map((farm) => ({ ...place(map, farm), thing: farm }));
        this.names = map.counties.filter(({ name }) => countyOf(counties, name))
            .map(({ name, path }) => ({ name, count: countyOf(counties, name).farms.length, ...middle(path) }))
            .sort((left, right) => right.count - left.count);
        this.whole = around(map, counties, this.points);
        // Going back from a farm restores the view in which it was selected.
        this.view = history.state?.maps?.[region] ?? this.whole;
        this.size = { width: Math.min(innerWidth, 1120) - 40, height: 500 };
        this.overlay = shape("g", {});
        this.svg = shape("svg", { class: "map", role: "group", "aria-label": t`Counties of ${region} and their
            farms` });
        this.svg.append(...areas(map, counties, address), this.overlay);
        this.status = h("p.quiet.map-said", { role: "status" });
        this.controls = this.makeControls();
        this.element = h("figure.map-figure.card", null, h("div.map-frame", null, this.svg, this.controls.element),
            h("figcaption.quiet", null, t`${region}. Coloured counties have farms; each dot is a farm, and each number
                a group of farms: select it to zoom in.`, this.status));
        this.listen();
        this.draw();
    }

    makeControls() {
        const button = (key, text, label, onclick) => h("button.map-button", {
            type: "button", "aria-label": label, "data-key": `map ${key} ${this.region}`, onclick,
        }, text);
        const closer = button("closer", "+", t`Zoom in`, () => this.zoom(0.5));
        const farther = button("farther", "−", t`Zoom out`, () => this.zoom(2));
        const whole = button("whole", t`Whole map`, null, () => this.look(this.whole));
        return { closer, farther, whole, element: h("div.map-controls", null, closer, farther, whole) };
    }

    listen() {
        new ResizeObserver(() => {
            const { width, height } = this.svg.getBoundingClientRect();
            if (width === 0 || (width === this.size.width && height === this.size.height)) return;
            this.size = { width, height };
            this.draw();
        }).observe(this.svg);
        this.svg.addEventListener("keydown", (event) => this.press(event));
        let grip = null;
        this.svg.addEventListener("pointerdown", (event) => {
            grip = this.view.width < this.whole.width ? { x: event.clientX, y: event.clientY, view: this.view } : null;
        });
        this.svg.addEventListener("pointermove", (event) => {
            if (grip === null || event.buttons === 0) return;
            const { x, y, view } = grip;
            this.isDragged = Math.abs(event.clientX - x) + Math.abs(event.clientY - y) > 8;
            if (!this.isDragged) return;
            const unit = this.unit;
            this.look({ ...view, x: view.x - (event.clientX - x) * unit, y: view.y - (event.clientY - y) * unit });
        });
        // The click at the end of a drag selects nothing.
        this.svg.addEventListener("click", (event) => {
            if (this.isDragged) event.preventDefault();
            if (this.isDragged) event.stopPropagation();
            this.isDragged = false;
        }, true);
    }

    press(event) {
        const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const { x, y, width, height } = this.view;
        if (ways[event.key] && width < this.whole.width) {
            const [right, down] = ways[event.key];
            this.look({ width, height, x: x + right * width / 4, y: y + down * height / 4 });
        } else if (event.key === "+" || event.key === "-") {
            this.zoom(event.key === "+" ? 0.5 : 2);
        } else {
            return;
        }
        event.preventDefault();
    }

    /** Map units per pixel. */
    get unit() {
        return Math.max(this.view.width / this.size.width, this.view.height / this.size.height);
    }

    /** The width of the closest view in map units. */
    get closest() {
        return Limits.closest * Math.min(this.size.width, this.size.height * (this.whole.width / this.whole.height));
    }

    get isClosest() {
        return this.unit <= Limits.closest * 1.001;
    }

    zoom(times) {
        const { x, y, width, height } = this.view;
        this.look({
            x: x + (width * (1 - times)) / 2, width: width * times,
            y: y + (height * (1 - times)) / 2, height: height * times,
        });
    }

    /** Shows a part of the map, between the whole map and the closest view. */
    look({ x, y, width, height }) {
        const { whole } = this;
        const middle = [x + width / 2, y + height / 2];
        const wide = Math.min(whole.width, Math.max(this.closest, width));
        const tall = wide * (whole.height / whole.width);
        const held = (value, from, room, size) => Math.min(from + room - size / 2, Math.max(from + size / 2, value));
        this.view = {
            x: held(middle[0], whole.x, whole.width, wide) - wide / 2, width: wide,
            y: held(middle[1], whole.y, whole.height, tall) - tall / 2, height: tall,
        };
        history.replaceState({ maps: { ...history.state?.maps, [this.region]: this.view } }, "");
        this.draw();
    }

    /** Zooms in on the farms of a group. */
    open(farms) {
        const names = new Set(farms.map(({ id }) => id));
        const ratio = this.whole.width / this.whole.height;
        const wideOf = ({ width, height }) => Math.max(width, height * ratio) * 1.6;
        const points = this.points.filter(({ thing }) => names.has(thing.id));
        // In the closest view farms are moved apart, and all their positions must be in the frame.
        const apart = () => setApart(this.points, Limits.touch * Limits.closest)
            .filter(({ things }) => names.has(things[0].id));
        const { x, y, width, height } = box(wideOf(box(points)) > this.closest ? points : apart());
        const wide = Math.min(this.view.width * 0.6, wideOf({ width, height }));
        const tall = wide / ratio;
        this.look({ x: x + width / 2 - wide / 2, y: y + height / 2 - tall / 2, width: wide, height: tall });
        this.status.textContent = t`Zoomed in on ${counted(farms.length, "farm")}.`;
        const first = [...this.overlay.querySelectorAll("[data-farms]")]
            .find((one) => one.dataset.farms.split(" ").some((name) => names.has(name)));
        (first ?? this.controls.farther).focus({ preventScroll: true });
    }

    draw() {
        const { unit } = this;
        const { x, y, width, height } = this.view;
        this.svg.setAttribute("viewBox", [x, y, width, height].map((value) => value.toFixed(2)).join(" "));
        const touch = Limits.touch * unit;
        const spots = (this.isClosest ? setApart : grouped)(this.points, touch)
            .filter((spot) => this.isShown(spot, unit));
        const sign = this.overlay.contains(document.activeElement)
            ? /** @type {HTMLElement} */ (document.activeElement).dataset.farms : null;
        this.overlay.replaceChildren(...this.drawnNames(spots, unit), ...spots.map((spot) => this.mark(spot, unit)));
        if (sign !== null) {
            this.overlay.querySelector(`[data-farms="${CSS.escape(sign)}"]`)?.focus({ preventScroll: true });
        }
        this.controls.closer.setAttribute("aria-disabled", String(this.isClosest));
        const isWhole = width >= this.whole.width * 0.999;
        this.controls.farther.setAttribute("aria-disabled", String(isWhole));
        this.controls.whole.setAttribute("aria-disabled", String(isWhole));
        this.svg.classList.toggle("is-close", !isWhole);
    }

    /** Whether the whole touch area is in the frame, which may be wider than the view. */
    isShown(spot, unit) {
        const { x, y, width, height } = this.view;
        const [half, across] = [(Limits.touch * unit) / 2, [this.size.width * unit, this.size.height * unit]];
        return Math.abs(spot.x - x - width / 2) + half <= across[0] / 2
            && Math.abs(spot.y - y - height / 2) + half <= across[1] / 2;
    }

    mark(spot, unit) {
        const { x, y, things, from } = spot;
        const [first] = things;
        const isGroup = things.length > 1;
        const element = isGroup
            ? shape("g", { class: "map-group", role: "button", tabindex: 0,
                "aria-label": t`${counted(things.length, "farm")} around ${first.title}: zoom in` })
            : shape("a", { href: `/farms/${first.id}`, "aria-label": first.title, class: "map-pin" });
        element.dataset.farms = things.map(({ id }) => id).join(" ");
        const half = (Limits.touch * unit) / 2;
        element.append(
            shape("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, class: "map-touch" }),
            shape("circle", { cx: x, cy: y, r: (isGroup ? Limits.group : Limits.dot) * unit, class: "map-dot" }));
        if (from && (from.x !== x || from.y !== y)) {
            element.prepend(shape("line", { x1: from.x, y1: from.y, x2: x, y2: y, class: "map-line" }));
        }
        if (!isGroup) return element;
        const size = Limits.text * unit;
        const number = shape("text", { x, y: y + 0.36 * size, "font-size": size, class: "map-number" });
        number.setAttribute("aria-hidden", "true");
        number.textContent = String(things.length);
        element.append(number);
        const open = () => this.open(things);
        element.addEventListener("click", open);
        element.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            open();
        });
        return element;
    }

    /** Names that fit: farms in closer views, then counties, those with the most farms first. */
    drawnNames(spots, unit) {
        const size = Limits.text * unit;
        const isWhole = this.view.width >= this.whole.width * 0.999;
        const alone = spots.filter(({ things }) => things.length === 1 && !isWhole);
        const names = [...alone.map(({ x, y, things }) => ({ name: things[0].title, x, y })), ...this.names];
        const taken = spots.map(({ x, y, things }) => {
            const half = (things.length > 1 ? Limits.group : Limits.dot) * unit * 1.2;
            return { left: x - half, right: x + half, top: y - half, bottom: y + half };
        });
        return names.flatMap(({ name, x, y }) => {
            const half = name.length * size * 0.3;
            const room = [0, 1.6, -1.6, 3, -3].map((rows) => y + rows * size)
                .map((at) => ({ left: x - half, right: x + half, top: at - size * 0.7, bottom: at + size * 0.5 }))
                .find((one) => !taken.some((other) => one.left < other.right && other.left < one.right
                    && one.top < other.bottom && other.top < one.bottom));
            if (room === undefined) return [];
            taken.push(room);
            const text = shape("text", { x, y: room.top + size, "font-size": size, class: "map-name" });
            text.setAttribute("aria-hidden", "true");
            text.textContent = name;
            return [text];
        });
    }
}

function countyOf(counties, name) {
    return counties.find((county) => isSame(county.name, name));
}

/** The counties; those with farms last, so that their borders are on top. */
function areas(map, counties, address) {
    const isEmpty = ({ name }) => countyOf(counties, name) === undefined;
    const inOrder = [...map.counties.filter(isEmpty), ...map.counties.filter((county) => !isEmpty(county))];
    return inOrder.map(({ name, path }) => {
        const county = countyOf(counties, name);
        const area = shape("path", { d: path, class: county ? "map-county has-farms" : "map-county" });
        if (!county) return area;
        const words = `${name}: ${counted(county.farms.length, "farm")}`;
        const link = shape("a", { href: address(county), "aria-label": words });
        link.append(area);
        return link;
    });
}

/** @returns {{x: number, y: number}} the position of a farm in map units */
function place(map, { latitude, longitude }) {
    return { x: (longitude - map.west) * map.across, y: (map.north - latitude) * map.up };
}

/** The part of the map that has farms, with a margin, as a whole state is too small on a phone. */
function around(map, counties, farms) {
    const points = [...farms];
    for (const { name, path } of map.counties) {
        if (countyOf(counties, name)) points.push(...corners(path));
    }
    if (points.length === 0) return { x: 0, y: 0, width: map.width, height: map.height };
    const { x, y, width, height } = box(points);
    const size = Math.max(500, width, height * 1.4) * 1.25;
    return { x: x + width / 2 - size / 2, y: y + height / 2 - size / 2.8, width: size, height: size / 1.4 };
}

/** @param {{x: number, y: number}[]} points @returns the bounding box */
function box(points) {
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/** @param {string} path of relative lines @returns {{x: number, y: number}[]} its points */
function corners(path) {
    const points = [];
    let [x, y] = [0, 0];
    for (const [, kind, right, down] of path.matchAll(/([Ml])(-?\d+) (-?\d+)/g)) {
        [x, y] = kind === "M" ? [Number(right), Number(down)] : [x + Number(right), y + Number(down)];
        points.push({ x, y });
    }
    return points;
}

function middle(path) {
    const { x, y, width, height } = box(corners(path));
    return { x: x + width / 2, y: y + height / 2 };
}

function shape(name, given) {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, String(value));
    return element;
}
