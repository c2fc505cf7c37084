/** Values of measuring points in a CSV file: its lines become rows of `POST /v1/manual-readings`, or errors. */
import { quantityNames } from "../common/format.js";
import { t } from "../common/language.js";
import { toInstant } from "../common/zones.js";

/**
 * @typedef {object} ParsedFile
 * @property {{line: number, row: {point: string, at: string, readings: {quantity: string, value: number}[]}}[]} rows
 * @property {{line: number, detail: string}[]} errors
 */

/**
 * Reads a file with a header, such as `time,point,temperature,humidity`. The separator is a comma, a semicolon or a
 * tab; after a semicolon or tab a decimal comma is accepted. A time is ISO 8601; one without an offset is in the farm's
 * zone.
 *
 * @param {string} text @param {any[]} points the items of `/v1/points` @param {string} zone
 * @returns {ParsedFile}
 */
export function parseReadings(text, points, zone) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
    const separator = [";", "\t"].find((one) => lines[0].includes(one)) ?? ",";
    const names = cells(lines[0], separator).map((name) => name.toLowerCase());
    const unknown = names.filter((name) => !["time", "point", ...quantityNames].includes(name));
    if (!names.includes("time") || !names.includes("point") || names.length < 3 || unknown.length > 0) {
        const detail = unknown.length > 0 ? t`The column ${unknown[0]} is not known.` : t`The first line has to name
            the columns time, point and at least one quantity.`;
        return { rows: [], errors: [{ line: 1, detail: t`${detail} Quantities are ${quantityNames.join(", ")}.` }] };
    }
    const named = new Map(points.flatMap(({ point, title }) => [[title.toLowerCase(), point], [point, point]]));
    /** @type {ParsedFile} */
    const parsed = { rows: [], errors: [] };
    for (const [index, text] of lines.entries()) {
        if (index === 0 || text.trim() === "") continue;
        try {
            const values = new Map(cells(text, separator).map((cell, column) => [names[column], cell]));
            parsed.rows.push({ line: index + 1, row: row(values, named, zone, separator) });
        } catch (error) {
            parsed.errors.push({ line: index + 1, detail: error.message });
        }
    }
    return parsed;
}

/** Splits a line. A cell in double quotes may contain the separator; two quotes stand for one. */
function cells(line, separator) {
    const found = [];
    let [cell, isQuoted] = ["", false];
    for (let at = 0; at < line.length; at += 1) {
        const character = line[at];
        if (character === '"' && isQuoted && line[at + 1] === '"') {
            cell += '"';
            at += 1;
        } else if (character === '"') {
            isQuoted = !isQuoted;
        } else if (character === separator && !isQuoted) {
            found.push(cell.trim());
            cell = "";
        } else {
            cell += character;
        }
    }
    return [...found, cell.trim()];
}

function row(values, named, zone, separator) {
    if (values.has(undefined)) throw new Error(t`The line has more cells than the first line has columns.`);
    const title = values.get("point") ?? "";
    const point = named.get(title.toLowerCase());
    if (!point) throw new Error(t`There is no measuring point “${title}”.`);
    const readings = [...values].filter(([name, cell]) => name !== "time" && name !== "point" && cell !== "")
        .map(([quantity, cell]) => ({ quantity, value: amount(cell, separator) }));
    return { point, at: instant(values.get("time") ?? "", zone), readings };
}

function amount(cell, separator) {
    const text = separator === "," ? cell : cell.replace(",", ".");
    if (!/^[-+−]?\d+(\.\d+)?$/.test(text)) throw new Error(t`“${cell}” is not a number.`);
    return Number(text.replace("−", "-"));
}

function instant(text, zone) {
    const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
    const time = parts && (parts[5] ? Date.parse(text.replace(" ", "T")) : Date.parse(
        toInstant(`${parts[1]}T${parts[2]}`, zone)) + Number((parts[3] ?? ":0").slice(1)) * 1000);
    if (!Number.isFinite(time)) throw new Error(t`“${text}” is not a time such as 2026-05-03 07:15.`);
    return new Date(time).toISOString();
}
