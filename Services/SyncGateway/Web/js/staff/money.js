/** Amounts of money in forms. */
import { moneyDigits } from "../common/format.js";

export const currencies = [
    "EUR", "USD", "GBP", "CHF", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "JPY",
];

/** @param {number} amount @param {string} currency @returns {{minor: number, currency: string}} */
export function inMinor(amount, currency) {
    return { minor: Math.round(amount * 10 ** moneyDigits(currency)), currency };
}

/** @param {{minor: number, currency: string}} amount @returns {number} */
export function inMajor({ minor, currency }) {
    return minor / 10 ** moneyDigits(currency);
}
