/**
 * `<climate-chart>`: the lowest, mean and highest value of each hour as a line with a band. The drawing library is
 * loaded when the first chart comes into view; without it the tables beside the charts say the same.
 */
import { h } from "./dom.js";
import { clock, dayOfYear, measured } from "./format.js";
import { wallClock } from "./zones.js";

const library = "/assets/lib/dygraphs/";
const files = [`${library}dygraph.min.js`, `${library}dygraph.min.css`];
const cacheName = "furrow-library";
const hour = 3_600_000;

/**
 * @typedef {object} Series
 * @property {string} quantity
 * @property {string} unit
 * @property {string} zone of the farm
 * @property {string} label what a screen reader says of the picture
 * @property {[number, number, number, number][]} hours hour since 1970, lowest, mean, highest
 */

class ClimateChart extends HTMLElement {
    /** @param {Series} series */
    set series(series) {
        this.shown = series;
    }

    connectedCallback() {
        if (this.observer) return;
        this.plot = h("div.chart-plot", { role: "img", "aria-label": this.shown.label });
        this.legend = h("p.chart-legend", { "aria-hidden": "true" }, "\u00a0");
        this.replaceChildren(this.plot, this.legend);
        this.observer = new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) this.draw();
        }, { rootMargin: "200px" });
        this.observer.observe(this);
        this.scheme = matchMedia("(prefers-color-scheme: dark)");
        this.recolour = () => this.graph?.updateOptions(this.colours());
        this.scheme.addEventListener("change", this.recolour);
    }

    disconnectedCallback() {
        this.observer?.disconnect();
        this.observer = null;
        this.scheme?.removeEventListener("change", this.recolour);
        this.graph?.destroy();
        this.graph = null;
    }

    async draw() {
        this.observer?.disconnect();
        try {
            await loadLibrary();
        } catch {
            this.legend.textContent = "The chart cannot be shown at the moment. The table below has the same values.";
            return;
        }
        if (!this.isConnected || this.graph) return;
        this.graph = new globalThis.Dygraph(this.plot, rows(this.shown), this.options());
        this.dataset.drawn = "yes";
    }

    options() {
        const { quantity, unit } = this.shown;
        return {
            labels: ["Time", "value"], customBars: true, labelsUTC: true,
            strokeWidth: 1.6, fillAlpha: 0.22, highlightCircleSize: 3.5, gridLineWidth: 1, rightGap: 8, xRangePad: 2,
            yRangePad: 8, interactionModel: {}, animatedZooms: false, axisLabelFontSize: 12,
            axes: {
                y: { axisLabelWidth: 36, pixelsPerLabel: 34, axisLabelFormatter: (value) => axisNumber(value) },
                x: { pixelsPerLabel: 64, drawGrid: false },
            },
            highlightCallback: (_event, x, points) => this.tell(x, points[0], quantity, unit),
            unhighlightCallback: () => {
                this.legend.textContent = "\u00a0";
            },
            ...this.colours(),
        };
    }

    colours() {
        const style = getComputedStyle(this);
        const colour = (name) => style.getPropertyValue(name).trim();
        return {
            colors: [colour("--chart-line")], gridLineColor: colour("--line"), axisLineColor: colour("--line"),
            axisLabelColor: colour("--soft"),
        };
    }

    tell(x, point, quantity, unit) {
        if (!point) return;
        const row = this.shown.hours.find(([at]) => wallClock(at * hour, this.shown.zone) === x);
        if (!row) return;
        const time = `${dayOfYear(x, "UTC")}, ${clock(x, "UTC")}`;
        const range = `${measured(row[1], quantity, unit)} to ${measured(row[3], quantity, unit)}`;
        this.legend.textContent = `${time}: ${measured(row[2], quantity, unit)} (${range})`;
    }
}

/** Rows for the library, on the farm's wall clock; a gap in the record is a gap in the line. */
function rows({ hours, zone }) {
    const steps = hours.slice(1).map((row, index) => row[0] - hours[index][0]).sort((left, right) => left - right);
    const usual = steps[Math.floor(steps.length / 2)] ?? 1;
    const rows = [];
    let last = null;
    for (const [at, lowest, mean, highest] of hours) {
        const x = new Date(wallClock(at * hour, zone));
        const isGap = last !== null && at - last > usual * 3;
        if (isGap) rows.push([new Date(x.getTime() - usual * hour), [null, null, null]]);
        rows.push([x, [lowest, mean, highest]]);
        last = at;
    }
    return rows;
}

function axisNumber(value) {
    return Math.abs(value) >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 10) / 10);
}

let loading = null;

/** @returns {Promise<void>} once the library is there; it is kept for days without a network */
function loadLibrary() {
    loading ??= (async () => {
        document.head.append(h("link", { rel: "stylesheet", href: files[1] }));
        await new Promise((resolve, reject) => {
            document.head.append(h("script", { src: files[0], onload: resolve, onerror: reject }));
        });
        // Its legend writes style attributes, which the page's policy forbids; the line below the chart is ours.
        const { Dygraph } = globalThis;
        Dygraph.PLUGINS = [Dygraph.Plugins.Grid, Dygraph.Plugins.Axes];
        keepLibrary();
    })();
    loading.catch(() => {
        loading = null;
    });
    return loading;
}

async function keepLibrary() {
    try {
        await (await caches.open(cacheName)).addAll(files);
    } catch {
        // No storage, or no network any more: charts then need a network next time.
    }
}

customElements.define("climate-chart", ClimateChart);

/** @param {Series} series @returns {HTMLElement} */
export function chart(series) {
    const element = /** @type {ClimateChart} */ (document.createElement("climate-chart"));
    element.series = series;
    return element;
}

/** @param {Omit<Series, "label">} series @returns {string} a sentence for those who do not see the picture */
export function chartLabel({ quantity, unit, hours }, name) {
    const lowest = Math.min(...hours.map((row) => row[1]));
    const highest = Math.max(...hours.map((row) => row[3]));
    return `Chart of ${name}: between ${measured(lowest, quantity, unit)} and ${measured(highest, quantity, unit)}`;
}

