/**
 * `<climate-chart>`: the lowest, mean and highest value of each hour as a line with a band. The chart library is
 * loaded when the first chart becomes visible. Without it, the tables beside the charts show the same values.
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
 * @property {string} label text alternative for screen readers
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
            highlightCallback: (_event, x, points) => this.showLegend(x, points[0], quantity, unit),
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

    showLegend(x, point, quantity, unit) {
        if (!point) return;
        const row = this.shown.hours.find(([at]) => wallClock(at * hour, this.shown.zone) === x);
        if (!row) return;
        const time = `${dayOfYear(x, "UTC")}, ${clock(x, "UTC")}`;
        const range = `${measured(row[1], quantity, unit)} to ${measured(row[3], quantity, unit)}`;
        this.legend.textContent = `${time}: ${measured(row[2], quantity, unit)} (${range})`;
    }
}

/** Returns rows for the library in the farm's local time. A gap in the readings interrupts the line. */
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

/** Loads the chart library once and caches it for offline use. Rejects if it cannot be loaded. */
function loadLibrary() {
    loading ??= (async () => {
        document.head.append(h("link", { rel: "stylesheet", href: files[1] }));
        await new Promise((resolve, reject) => {
            document.head.append(h("script", { src: files[0], onload: resolve, onerror: reject }));
        });
        // The library's legend sets style attributes, which the content security policy forbids.
        const { Dygraph } = globalThis;
        Dygraph.PLUGINS = [Dygraph.Plugins.Grid, Dygraph.Plugins.Axes];
        cacheLibrary();
    })();
    loading.catch(() => {
        loading = null;
    });
    return loading;
}

async function cacheLibrary() {
    try {
        await (await caches.open(cacheName)).addAll(files);
    } catch {
        // Without the cache, charts need the network next time.
    }
}

customElements.define("climate-chart", ClimateChart);

/** Returns a chart element that draws itself when it becomes visible. @param {Series} series @returns {HTMLElement} */
export function chart(series) {
    const element = /** @type {ClimateChart} */ (document.createElement("climate-chart"));
    element.series = series;
    return element;
}

/**
 * Returns the text alternative of a chart.
 * @param {Omit<Series, "label">} series @param {string} name of what is measured
 * @returns {string}
 */
export function chartLabel({ quantity, unit, hours }, name) {
    const lowest = Math.min(...hours.map((row) => row[1]));
    const highest = Math.max(...hours.map((row) => row[3]));
    return `Chart of ${name}: between ${measured(lowest, quantity, unit)} and ${measured(highest, quantity, unit)}`;
}

