/**
 * County boundaries: shipped files, one for each state, and files of the operator (GeoJSON), which take precedence.
 */
const folder = "/assets/maps";
const Limits = { milliseconds: 12_000, width: 4000 };
/** The property names of a county and its state in GeoJSON files of common sources. */
const countyNames = ["NAME_2", "NAME", "name", "NAMELSAD", "county"];
const regionNames = ["NAME_1", "STATE_NAME", "state_name", "STATE", "state", "REGION", "region"];

/**
 * @typedef {object} CountyMap
 * @property {string} region
 * @property {number} west @property {number} north the upper left corner in degrees
 * @property {number} across @property {number} up map units per degree
 * @property {number} width @property {number} height
 * @property {{name: string, path: string}[]} counties
 */

/** Loads maps. @param {string[]} regions the states @returns {Promise<Map<string, CountyMap>>} those that exist */
export async function mapsOf(regions) {
    const [shipped, { files }] = await Promise.all([read("index.json"), read("own.json")]);
    const own = (await Promise.all(files.map(async (file) => fromGeoJSON(await read(file), file)))).flat();
    const found = new Map();
    await Promise.all(regions.map(async (region) => {
        const map = own.find((one) => isSame(one.region, region)) ?? (shipped[region] && await read(shipped[region]));
        if (map) found.set(region, map);
    }));
    return found;
}

async function read(file) {
    const path = file.split("/").map(encodeURIComponent).join("/");
    const response = await fetch(`${folder}/${path}`, { signal: AbortSignal.timeout(Limits.milliseconds) });
    if (!response.ok) throw new Error(`no map ${file}`);
    return response.json();
}

/** Compares place names without case and accents. @param {string} left @param {string} right @returns {boolean} */
export function isSame(left, right) {
    const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/ (county|parish)$/, "");
    return plain(left ?? "") === plain(right ?? "");
}

/** Converts GeoJSON. @param {any} collection @param {string} file @returns {CountyMap[]} one for each state in it */
function fromGeoJSON(collection, file) {
    const states = new Map();
    for (const feature of collection.features ?? []) {
        const name = first(feature.properties, countyNames);
        const polygons = { Polygon: (rings) => rings, MultiPolygon: (parts) => parts.flat() };
        const rings = polygons[feature.geometry?.type]?.(feature.geometry.coordinates);
        if (!name || !rings) continue;
        const region = first(feature.properties, regionNames) ?? titleOf(file);
        states.set(region, [...(states.get(region) ?? []), { name, rings }]);
    }
    return [...states].map(([region, counties]) => project(region, counties));
}

/** Returns the first property that is a name; digits alone are a code. */
function first(properties, names) {
    return names.map((name) => properties?.[name]).find((value) => typeof value === "string" && !/^\d*$/.test(value));
}

function titleOf(file) {
    return file.split("/").pop().replace(/\.geojson$/, "").replace(/[-_]/g, " ");
}

/** Projects degrees to map units (equirectangular, true to scale at the middle latitude). */
function project(region, counties) {
    const points = counties.flatMap(({ rings }) => rings.flat());
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const ends = (values) => values.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)],
        [Infinity, -Infinity]);
    const [[west, east], [south, north]] = [ends(xs), ends(ys)];
    const across = Limits.width / (east - west);
    const up = across / Math.cos(((north + south) / 2) * (Math.PI / 180));
    const place = ([x, y]) => [Math.round((x - west) * across), Math.round((north - y) * up)];
    return {
        region, west, north, across, up, width: Limits.width, height: Math.round((north - south) * up),
        counties: counties.map(({ name, rings }) =>
            ({ name, path: rings.map((ring) => line(ring.map(place))).join("") })),
    };
}

/** @param {[number, number][]} points of a ring @returns {string} its SVG path, with relative steps */
function line(points) {
    let [x, y] = points[0];
    const start = `M${x} ${y}`;
    const steps = points.slice(1).map(([right, down]) => {
        const step = [right - x, down - y];
        [x, y] = [right, down];
        return step;
    }).filter(([right, down]) => right !== 0 || down !== 0);
    return `${start}${steps.map(([right, down]) => `l${right} ${down}`).join("")}z`;
}
