/**
 * Units of measurement on the pages: those of the API, or those that are usual in the United States, as chosen for this
 * browser. Values are entered in the units of the API.
 */
const storedUnder = "furrow-units";

/** For each unit of the API: the unit shown, its factor and offset, and how many more decimal places it needs. */
const usual = new Map([
    ["°C", { unit: "°F", factor: 1.8, offset: 32, digits: 0 }],
    ["mm", { unit: "in", factor: 1 / 25.4, offset: 0, digits: 1 }],
    ["hPa", { unit: "inHg", factor: 0.02952998, offset: 0, digits: 2 }],
    ["l", { unit: "gal", factor: 0.26417205, offset: 0, digits: 0 }],
]);

/** Grams, and square metres: of each unit, the largest first. */
const pounds = { lb: 453.59237, oz: 28.349523 };
const acres = { ac: 4046.8564, "sq ft": 0.09290304 };

/** The chosen units: `metric` or `us`. */
export const units = stored() === "us" ? "us" : "metric";

const conversions = units === "us" ? usual : new Map();

/** @param {string} unit of the API @returns {string} the unit that is shown */
export function shownUnit(unit) {
    return conversions.get(unit)?.unit ?? unit;
}

/** @param {number} value @param {string} unit of the API @returns {number} the value that is shown */
export function shownValue(value, unit) {
    const conversion = conversions.get(unit);
    return conversion ? value * conversion.factor + conversion.offset : value;
}

/** @param {number} value a difference of two values @param {string} unit of the API @returns {number} */
export function shownDifference(value, unit) {
    return value * (conversions.get(unit)?.factor ?? 1);
}

/** @param {number} digits of the unit of the API @param {string} unit of the API @returns {number} */
export function shownDigits(digits, unit) {
    return digits + (conversions.get(unit)?.digits ?? 0);
}

/** @param {number} grams @returns {[number, string, number]} value, unit and decimal places */
export function shownWeight(grams) {
    if (units === "us") {
        return grams < pounds.lb ? [grams / pounds.oz, "oz", 1] : [grams / pounds.lb, "lb", 2];
    }
    return grams < 1000 ? [grams, "g", 0] : [grams / 1000, "kg", 3];
}

/** @param {number} squareMetres @returns {[number, string, number]} value, unit and decimal places */
export function shownArea(squareMetres) {
    if (units === "us") {
        return squareMetres < acres.ac / 4
            ? [squareMetres / acres["sq ft"], "sq ft", 0] : [squareMetres / acres.ac, "ac", 2];
    }
    return squareMetres < 10_000 ? [squareMetres, "m²", 0] : [squareMetres / 10_000, "ha", 2];
}

/**
 * Stores the units for this browser.
 * @param {string} chosen
 * @returns {boolean} whether the page has to be loaded again to show them
 */
export function chooseUnits(chosen) {
    try {
        localStorage.setItem(storedUnder, chosen);
    } catch {
        return false;
    }
    return chosen !== units && stored() === chosen;
}

function stored() {
    try {
        return localStorage.getItem(storedUnder);
    } catch {
        return null;
    }
}
