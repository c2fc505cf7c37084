/**
 * A map of counties, drawn from their boundaries: no tiles, no other server. The list beside it says the same in words.
 */
import { h } from "../dom.js";
import { counted } from "../format.js";
import { nothingYet } from "../app/parts.js";
import { isSame, mapsOf } from "./maps.js";

const space = "http://www.w3.org/2000/svg";

/**
 * @param {import("./catalog.js").Catalog} catalog
 * @param {(county: any) => string} address of a county's page
 * @returns {Promise<any>} one map for each state that is known and has farms
 */
export async function countyMap(catalog, address) {
    const regions = [...new Set(catalog.farms.map((farm) => farm.region).filter(Boolean))].sort();
    let maps = null;
    try {
        maps = await mapsOf(regions);
    } catch {
        return nothingYet("offline", "The map is not on this device yet; it comes with the next connection.");
    }
    if (maps.size === 0) {
        return nothingYet("info", "There is no map of where these farms are. The list below leads to them.");
    }
    const drawn = regions.filter((region) => maps.has(region)).map((region) => {
        const counties = catalog.counties.filter((county) => isSame(county.region, region));
        return draw(maps.get(region), region, counties, address, maps.size > 1);
    });
    const elsewhere = catalog.farms.filter((farm) => !maps.has(farm.region)).length;
    return [h("div.maps", null, drawn),
        elsewhere > 0 && h("p.quiet", null, `${elsewhere} more in the list: no map is known for them.`)];
}

function draw(map, region, counties, address, isOneOfMany) {
    const farms = counties.flatMap((county) => county.farms);
    const countyOf = (name) => counties.find((county) => isSame(county.name, name));
    const frame = around(map, counties);
    const svg = shape("svg", { class: "map", viewBox: frame.join(" "), role: "group",
        "aria-label": `Counties of ${region} and their farms` });
    // What is touched and read keeps its size on small screens, and where two maps stand side by side.
    const wide = innerWidth >= 768 && isOneOfMany ? innerWidth / 2 : innerWidth;
    const unit = (frame[2] / 100) * Math.min(2.4, Math.max(1, 800 / wide));
    // Those with farms last, so that their borders stand whole.
    const isEmpty = ({ name }) => countyOf(name) === undefined;
    const inOrder = [...map.counties.filter(isEmpty), ...map.counties.filter((county) => !isEmpty(county))];
    for (const { name, path } of inOrder) {
        const county = countyOf(name);
        const area = shape("path", { d: path, class: county ? "map-county has-farms" : "map-county" });
        if (!county) {
            svg.append(area);
            continue;
        }
        const words = `${name}: ${counted(county.farms.length, "farm")}`;
        const link = shape("a", { href: address(county), "aria-label": words });
        link.append(area);
        svg.append(link);
    }
    for (const farm of farms) {
        if (!Number.isFinite(farm.latitude) || !Number.isFinite(farm.longitude)) continue;
        const [x, y] = place(map, farm);
        const link = shape("a", { href: `/farms/${farm.id}`, "aria-label": farm.title, class: "map-pin" });
        link.append(shape("circle", { cx: x, cy: y, r: 2.6 * unit, class: "map-touch" }),
            shape("circle", { cx: x, cy: y, r: 1.1 * unit, class: "map-dot" }));
        svg.append(link);
    }
    for (const { name, path } of map.counties) {
        if (!countyOf(name)) continue;
        const [x, y] = middle(path);
        const text = shape("text", { x, y: y + 4.2 * unit, "font-size": 2.2 * unit, class: "map-name" });
        text.setAttribute("aria-hidden", "true");
        text.textContent = name;
        svg.append(text);
    }
    return h("figure.map-figure.card", null, svg,
        h("figcaption.quiet", null, `${region}. Coloured counties have farms; each dot is a farm.`));
}

/** @returns {[number, number]} where a farm is drawn */
function place(map, { latitude, longitude }) {
    return [(longitude - map.west) * map.across, (map.north - latitude) * map.up];
}

/** The part of the map where the farms are, with some room around: a whole state is too small on a phone. */
function around(map, counties) {
    const points = counties.flatMap((county) => county.farms)
        .filter((farm) => Number.isFinite(farm.latitude)).map((farm) => place(map, farm));
    for (const { name, path } of map.counties) {
        if (counties.some((county) => isSame(county.name, name))) points.push(...corners(path));
    }
    if (points.length === 0) return [0, 0, map.width, map.height];
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const size = Math.max(500, Math.max(...xs) - Math.min(...xs), (Math.max(...ys) - Math.min(...ys)) * 1.4) * 1.25;
    const [x, y] = [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
    return [x - size / 2, y - size / 2.8, size, size / 1.4].map((value) => Math.round(value));
}

/** @param {string} path of relative lines @returns {[number, number][]} its points */
function corners(path) {
    const points = [];
    let [x, y] = [0, 0];
    for (const [, kind, right, down] of path.matchAll(/([Ml])(-?\d+) (-?\d+)/g)) {
        [x, y] = kind === "M" ? [Number(right), Number(down)] : [x + Number(right), y + Number(down)];
        points.push([x, y]);
    }
    return points;
}

function middle(path) {
    const points = corners(path);
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    return [(Math.max(...xs) + Math.min(...xs)) / 2, (Math.max(...ys) + Math.min(...ys)) / 2];
}

function shape(name, given) {
    const element = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, String(value));
    return element;
}
