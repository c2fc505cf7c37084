/**
 * `<climate-chart>`: the lowest, mean and highest value of each time as a line with a band. The chart library is
 * loaded when the first chart becomes visible. Without it, the tables beside the charts show the same values.
 * With the focus on it, the arrow keys show one value after the other.
 */
import { h } from "./dom.js";
import { clock, dayOfYear, measured, unitOf } from "./format.js";
import { t } from "./language.js";
import { shownValue } from "./units.js";
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
 * @property {[number, number, number, number][]} hours hours since 1970, lowest, mean, highest
 * @property {number} [above] an upper limit, which is drawn as a line
 * @property {number} [below] a lower limit
 * @property {[number, number][]} [alarms] from and until when alarms were on, in milliseconds since 1970
 * @property {[number, number]} [span] the time to show, in milliseconds since 1970; by default that of the values
 */

class ClimateChart extends HTMLElement {
    /** @param {Series} series */
    set series(series) {
        this.shown = series;
        this.drawn = inShownUnit(series);
    }

    connectedCallback() {
        if (this.observer) return;
        this.plot = h("div.chart-plot", { role: "img", tabindex: "0", "aria-label": this.shown.label });
        this.plot.addEventListener("keydown", (event) => this.step(event));
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
            this.legend.textContent = t`The chart cannot be shown at the moment. The table below has the same
                values.`;
            return;
        }
        if (!this.isConnected || this.graph) return;
        this.graph = new globalThis.Dygraph(this.plot, rows(this.drawn), this.options());
        this.dataset.drawn = "yes";
    }

    options() {
        const { quantity, unit } = this.shown;
        return {
            labels: [t`Time`, "value"], customBars: true, labelsUTC: true,
            strokeWidth: 1.6, fillAlpha: 0.22, highlightCircleSize: 3.5, gridLineWidth: 1, rightGap: 8, xRangePad: 2,
            yRangePad: 8, valueRange: valueRange(this.drawn), dateWindow: dateWindow(this.shown),
            underlayCallback: (canvas, area, graph) => this.drawLimits(canvas, area, graph),
            interactionModel: {}, animatedZooms: false, axisLabelFontSize: 12,
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

    /** Draws the limits as lines and the times of alarms as bands, below the curve. */
    drawLimits(canvas, area, graph) {
        const { above, below, alarms = [], zone } = this.drawn;
        const style = getComputedStyle(this);
        canvas.save();
        canvas.fillStyle = style.getPropertyValue("--red").trim();
        canvas.strokeStyle = canvas.fillStyle;
        for (const [from, until] of alarms) {
            const [left, right] = [from, until].map((time) => graph.toDomXCoord(wallClock(time, zone)));
            canvas.globalAlpha = 0.16;
            canvas.fillRect(left, area.y, Math.max(right - left, 2), area.h);
            canvas.globalAlpha = 1;
            canvas.fillRect(left - 1, area.y, 2, 9);
        }
        canvas.setLineDash([6, 4]);
        for (const limit of [above, below]) {
            if (limit === undefined) continue;
            const y = graph.toDomYCoord(limit);
            canvas.beginPath();
            canvas.moveTo(area.x, y);
            canvas.lineTo(area.x + area.w, y);
            canvas.stroke();
        }
        canvas.restore();
    }

    /** Shows the next or previous value. @param {KeyboardEvent} event */
    step(event) {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by === undefined || !this.graph) return;
        event.preventDefault();
        const count = this.graph.numRows();
        let row = Math.min(Math.max(this.graph.getSelection() + by, 0), count - 1);
        // A gap in the readings has a row without a value.
        while (row > 0 && row < count - 1 && this.graph.getValue(row, 1)?.[1] === null) row += by;
        this.graph.setSelection(row);
        const { quantity, unit } = this.shown;
        this.showLegend(this.graph.getValue(row, 0), {}, quantity, unit);
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
        const row = this.shown.hours.find(([at]) => wallClock(Math.round(at * hour), this.shown.zone) === x);
        if (!row) return;
        const time = `${dayOfYear(x, "UTC")}, ${clock(x, "UTC")}`;
        const range = `${measured(row[1], quantity, unit)} to ${measured(row[3], quantity, unit)}`;
        this.legend.textContent = `${time}: ${measured(row[2], quantity, unit)} (${range})`;
    }
}

/** @param {Series} series @returns {Series} with the values in the unit that is shown */
function inShownUnit(series) {
    const unit = unitOf(series.quantity, series.unit);
    const shown = (value) => (value === undefined || value === null ? value : shownValue(value, unit));
    return {
        ...series, above: shown(series.above), below: shown(series.below),
        hours: series.hours.map(([at, ...values]) =>
            /** @type {[number, number, number, number]} */ ([at, ...values.map(shown)])),
    };
}

/** Returns rows for the library in the farm's local time. A gap in the readings interrupts the line. */
function rows({ hours, zone }) {
    const steps = hours.slice(1).map((row, index) => row[0] - hours[index][0]).sort((left, right) => left - right);
    const usual = steps[Math.floor(steps.length / 2)] ?? 1;
    const rows = [];
    let last = null;
    for (const [at, lowest, mean, highest] of hours) {
        const x = new Date(wallClock(Math.round(at * hour), zone));
        const isGap = last !== null && at - last > usual * 3;
        if (isGap) rows.push([new Date(x.getTime() - usual * hour), [null, null, null]]);
        rows.push([x, [lowest, mean, highest]]);
        last = at;
    }
    return rows;
}

/**
 * Returns the values to show if there are limits, which must be visible; null lets the library choose.
 * @param {Series} series
 */
function valueRange({ hours, above, below }) {
    const limits = [above, below].filter((limit) => limit !== undefined);
    if (limits.length === 0) return null;
    const low = Math.min(...limits, ...hours.map(([, value]) => value));
    const high = Math.max(...limits, ...hours.map(([, , , value]) => value));
    const pad = (high - low || 1) * 0.08;
    return [low - pad, high + pad];
}

/**
 * Returns the time to show, so that charts side by side have the same; null lets the library choose.
 * @param {Series} series
 */
function dateWindow({ span, zone }) {
    return span ? span.map((time) => wallClock(time, zone)) : null;
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
    return t`Chart of ${name}: between ${measured(lowest, quantity, unit)} and
        ${measured(highest, quantity, unit)}`;
}

