/** The numbers of goods: EAN-8, UPC-A, EAN-13 and GTIN-14. */

/** @param {string} digits @returns {boolean} whether the check digit is right (GS1 General Specifications, 7.9) */
export function hasCheckDigit(digits) {
    if (!/^(\d{8}|\d{12}|\d{13}|\d{14})$/u.test(digits)) return false;
    let sum = 0;
    for (let index = 0; index < digits.length; index += 1) {
        sum += Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 3);
    }
    return sum % 10 === 0;
}
