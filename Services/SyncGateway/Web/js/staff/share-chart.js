/** A chart of shares with their intervals, one line of points for each group. */
import { h } from "../common/dom.js";

const svg = "http://www.w3.org/2000/svg";
const size = { width: 600, height: 220, left: 44, right: 12, top: 12, bottom: 30 };

/**
 * @typedef {object} Group
 * @property {string} title
 * @property {({share: number, low: number, high: number}|null)[]} points one for each label; null if nothing is known
 */

/**
 * @param {string[]} labels of the horizontal axis @param {Group[]} groups @param {string} label for screen readers
 * @returns {HTMLElement}
 */
export function shareChart(labels, groups, label) {
    const drawing = element("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label });
    const highest = Math.max(0.1, ...groups.flatMap(({ points }) => points.map((point) => point?.high ?? 0)));
    const y = (share) => size.top + (size.height - size.top - size.bottom) * (1 - share / highest);
    const step = (size.width - size.left - size.right) / labels.length;
    for (const share of [0, highest / 2, highest]) {
        drawing.append(element("line", { class: "grid", x1: size.left, x2: size.width - size.right, y1: y(share),
            y2: y(share) }), text(size.left - 6, y(share) + 4, `${Math.round(share * 100)} %`, "end"));
    }
    labels.forEach((name, index) => drawing.append(text(size.left + step * (index + 0.5), size.height - 8, name,
        "middle")));
    groups.forEach(({ points }, group) => {
        const x = (index) => size.left + step * (index + 0.5) + (group - (groups.length - 1) / 2) * 12;
        const known = points.map((point, index) => ({ point, index })).filter(({ point }) => point !== null);
        const marks = element("g", { class: `share-group share-group-${group}` });
        marks.append(element("polyline", {
            points: known.map(({ point, index }) => `${x(index)},${y(point.share)}`).join(" "),
        }));
        for (const { point, index } of known) {
            marks.append(
                element("line", { x1: x(index), x2: x(index), y1: y(point.low), y2: y(point.high) }),
                group === 0 ? element("circle", { cx: x(index), cy: y(point.share), r: 4 })
                    : element("rect", { x: x(index) - 4, y: y(point.share) - 4, width: 8, height: 8 }));
        }
        drawing.append(marks);
    });
    return h("div.share-chart", null, drawing, h("p.quiet", { "aria-hidden": "true" }, groups.map(({ title }, group) =>
        h("span", { class: `share-key share-key-${group}` }, `${group === 0 ? "●" : "■"} ${title}`))));
}

function element(name, attributes) {
    const made = document.createElementNS(svg, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
}

function text(x, y, content, anchor) {
    const made = element("text", { x, y, "text-anchor": anchor });
    made.textContent = content;
    return made;
}
