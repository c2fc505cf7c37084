/** Calibrations of sensors, and the retirement of a measuring point. */
import { command } from "../common/api.js";
import { h, when } from "../common/dom.js";
import { form } from "../common/form.js";
import { day, dayAndClock, measured, number, quantityName } from "../common/format.js";
import { inSentence, t } from "../common/language.js";
import { nothingYet } from "../common/parts.js";

/**
 * The list of calibrations, and for growers a form that adds one.
 *
 * @param {import("./main.js").Context} context
 * @param {any[]} calibrated the items of `/v1/calibrations` @param {any[]} devices those of `/v1/devices`
 * @param {any[]} points those of `/v1/points` @param {string} zone
 */
export function calibrations(context, calibrated, devices, points, zone) {
    const titles = new Map(points.map(({ device, title }) => [device, title]));
    return [
        calibrated.length === 0
            ? nothingYet("gauge", t`No sensor is corrected: values are used as the sensors send them.`)
            : h("ul.rows", { role: "list" }, calibrated.map((one) => calibration(one, titles.get(one.device), zone))),
        context.can("grower") && devices.length > 0
            && h("div.card.block", null, calibrate(context, devices, titles, zone)),
    ];
}

function calibration({ device, quantity, factor, offset, since, validUntil, certificate }, title, zone) {
    const isDue = validUntil && Date.parse(validUntil) < Date.now();
    return h("li", { "data-calibration": `${device} ${quantity}` },
        h("p", null, title && [h("strong", null, title), " "], h("span.code", null, device),
            ` ${inSentence(quantityName(quantity))}: ${correction(quantity, factor, offset)}`),
        h("p.quiet", null, t`Since `, when(since, dayAndClock(since, zone)), certificate && `, ${certificate}`,
            validUntil && [isDue ? t`. It was due again on ` : t`. Due again on `,
                when(validUntil, day(validUntil, zone))]),
        isDue && h("p.alarm-what", null, t`Calibrate this sensor again.`));
}

/** Describes a correction: `× 1.02, − 0.3 °C`. */
function correction(quantity, factor, offset) {
    const parts = [
        factor !== 1 && `× ${number(factor, 4)}`,
        offset !== 0 && `${offset < 0 ? "−" : "+"} ${measured(Math.abs(offset), quantity)}`,
    ].filter(Boolean);
    return parts.length > 0 ? parts.join(", ") : t`not corrected`;
}

function calibrate(context, devices, titles, zone) {
    const quantities = [...new Set(devices.flatMap(({ readings }) => (Array.isArray(readings) ? readings : []))
        .map(({ quantity }) => quantity))];
    return form({
        name: "calibrate", title: t`Calibrate a sensor`, submit: t`Calibrate`,
        lead: t`Measure the same with a reference, such as ice water (0 °C). The correction holds from now on.`,
        fields: [
            { name: "device", label: t`Sensor`, type: "select", required: true, options: devices.map(({ device }) =>
                [device, titles.has(device) ? `${titles.get(device)} (${device})` : device]) },
            { name: "quantity", label: t`What`, type: "select", required: true,
                options: quantities.map((name) => [name, quantityName(name)]) },
            { name: "offset", label: t`Add to each value`, type: "number", value: 0, attributes: { step: "any" },
                hint: t`The sensor shows 0.4 in ice water: add −0.4.` },
            { name: "factor", label: t`Multiply before`, type: "number", value: 1,
                attributes: { min: 0.01, max: 100, step: "any" } },
            { name: "validUntil", label: t`Calibrate again on`, type: "datetime", zone },
            { name: "certificate", label: t`Certificate or method`, attributes: { maxlength: 200 } },
        ],
        send: (values, key) => command("POST", "/v1/calibrations", values, key),
        done: (_answer, { device }) => {
            context.announce(t`${titles.get(device) ?? device} was calibrated.`);
            return context.refresh();
        },
    });
}

/** A form that ends the use of a measuring point. @param {import("./main.js").Context} context @param {any[]} points */
export function retirePoint(context, points) {
    return h("details.fold", null, h("summary", null, t`Retire a measuring point`), form({
        name: "retire-point", title: t`Retire a measuring point`, submit: t`Retire`,
        lead: t`It is no longer listed and raises no alarm. Its history stays.`,
        fields: [
            { name: "point", label: t`Measuring point`, type: "select", required: true,
                options: points.map(({ point, title }) => [point, title]) },
            { name: "reason", label: t`Why`, attributes: { maxlength: 200 } },
        ],
        send: ({ point, ...values }, key) => command("POST", `/v1/points/${point}/retirement`, values, key),
        done: () => {
            context.announce(t`The measuring point was retired.`);
            return context.refresh();
        },
    }));
}
