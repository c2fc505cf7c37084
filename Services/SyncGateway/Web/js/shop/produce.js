/** Placeholder icons for products without a picture. */

/** @type {[RegExp, string, string][]} pattern of the name, tone, path; the first match is used */
const produce = [
    [/^farm$/, "leaf", "M3 19.5h18M5 19.5c1-6 3-10 5-12M12 19.5V7.5M19 19.5c-1-6-3-10-5-12M4 7.5h16"],
    [/tomat/, "fruit", "M12 8c-5 0-8 2.4-8 6.2s3.2 6.3 8 6.3 8-2.5 8-6.3S17 8 12 8zM12 8V4.5"
        + "M12 8c-1.2-1.6-2.8-2-4.5-1.6M12 8c1.2-1.6 2.8-2 4.5-1.6"],
    [/pepper|chil[il]|aubergine|eggplant/, "fruit", "M12.5 8.5c-4-1.5-7.5 0-7.5 4 0 4.5 3 8 5.5 8 1 0 1.4-.6 2-.6"
        + "s1 .6 2 .6c2.5 0 5-3.5 5-8 0-4-3-5.5-7-4zM12.5 8.5c0-2 .6-3.4 2.2-4.5M9 12c0 2 .4 3.5 1 4.7"],
    [/cucumber|zucchini|courgette|squash|marrow/, "leaf", "M5.2 18.8c-1.8-1.8-1.6-4.6.2-6.4l6.8-6.8c1.8-1.8 4.8-2"
        + " 6.6-.2s1.6 4.8-.2 6.6l-6.8 6.8c-1.8 1.8-4.8 1.8-6.6 0zM18.8 5.2l1.7-1.7M9 13.5v.1M12 10.5v.1M12.5 14v.1"
        + "M15.5 11v.1M15.5 8v.1"],
    [/honey|jam|syrup|preserve|pickle|chutney/, "root", "M7.5 3.5h9V7h-9zM7.5 7C5.9 8 5 9.2 5 10.7V19"
        + "c0 1 .7 1.7 1.7 1.7h10.6c1 0 1.7-.7 1.7-1.7v-8.3c0-1.5-.9-2.7-2.5-3.7M5 12h14M5 17h14"],
    [/\beggs?\b/, "root", "M12 3.5c-3.5 0-6.5 5-6.5 9.5 0 4 2.8 7.5 6.5 7.5s6.5-3.5 6.5-7.5c0-4.5-3-9.5-6.5-9.5z"
        + "M9 13c0-2 .8-4 2-5"],
    [/bread|loaf|bak|flour|grain|wheat|rye/, "root", "M4 9.5c0-2.5 2.5-4 8-4s8 1.5 8 4c0 1.3-.6 2-1.5 2.5v7.5h-13V12"
        + "c-.9-.5-1.5-1.2-1.5-2.5zM9 9.5l1.5 2.5M13.5 9.5L15 12"],
    [/milk|cheese|butter\b|yog|cream|dairy/, "other", "M9.5 3.5h5v3l2 3.5v9c0 1-.6 1.5-1.5 1.5H9"
        + "c-.9 0-1.5-.5-1.5-1.5v-9l2-3.5zM9.5 6.5h5M7.5 13h9"],
    [/berr|cherr|grape|currant/, "fruit", "M8.5 9.5a3 3 0 100 6 3 3 0 000-6zM15.5 9.5a3 3 0 100 6 3 3 0 000-6z"
        + "M12 14.7a3 3 0 100 6 3 3 0 000-6zM12 9.5c0-2.5 1-4.5 3-5.5M12 9C10 8.5 8.5 7 8 4.5c2.2 0 3.7 1.2 4 3.5"],
    [/potato|celeriac/, "root", "M6.5 9.5c2-4.2 8.3-5.5 11.5-2.5s2.5 8-.8 10.5-8.4 2.8-11.2.8-1.5-5 .5-8.8z"
        + "M10 10.5v.1M14.5 9v.1M13.5 14v.1M9 15.5v.1M16.5 12.5v.1"],
    [/onion|garlic|shallot/, "root", "M12 7.5c-4.5 1.8-7.5 4-7.5 7.5s3.3 5.5 7.5 5.5 7.5-2 7.5-5.5-3-5.7-7.5-7.5z"
        + "M12 7.5c-1-1.5-1-3 0-4.5M12 7.5c1-1.5 2.2-2.5 4-3M12 7.5v13M8.5 10c-1.5 3-1.5 7 0 10"
        + "M15.5 10c1.5 3 1.5 7 0 10"],
    [/carrot|root|beet|radish|turnip|parsnip/, "root", "M9.3 10.7c1.2-1.4 3-1.5 4.2-.3s1.1 3-.3 4.2L4 20zM13.5 10.5"
        + "c0-2.5 1-4.5 3-6M13.5 10.5c2.5 0 4.5-1 6-3M9.5 16.7L7.7 15M11.5 13.5l-1.2-1.2"],
    [/herb|basil|parsley|chive|mint|dill|thyme|plant/, "leaf", "M12 20v-9M12 12.5C12 9 9.8 7 6 7c0 3.5 2.2 5.5 6 5.5z"
        + "M12 10.5c0-3.3 2.2-5.3 6-5.3 0 3.4-2.2 5.3-6 5.3zM6.5 16h11l-1.2 4.5H7.7z"],
    [/lettuce|salad|chard|spinach|kale|cabbage|leaf|leaves|greens/, "leaf", "M12 20.5c-5 0-8.5-3-8.5-7 0-2 1-3.5 2.5-4"
        + " .2-3 2.7-5.5 6-5.5s5.8 2.5 6 5.5c1.5.5 2.5 2 2.5 4 0 4-3.5 7-8.5 7zM12 20.5V9M12 13c-1.5-.3-3-1.5-3.5-3"
        + "M12 15.5c1.7-.3 3.2-1.5 3.7-3.2"],
    [/apple|pear|plum|peach|quince|melon|fruit/, "fruit", "M12 8.2c-1.6-1.4-3.3-1.7-4.8-1-2.2 1-3 3.4-2.6 6 .6 4 3 7.3"
        + " 5.2 7.3.9 0 1.4-.5 2.2-.5s1.3.5 2.2.5c2.2 0 4.6-3.3 5.2-7.3.4-2.6-.4-5-2.6-6-1.5-.7-3.2-.4-4.8 1z"
        + "M12 8.2c0-2 .8-3.7 2.6-4.7"],
    [/./, "other", "M3.5 10h17l-1.8 9.5H5.3zM7.5 10l3.5-6M16.5 10L13 4M9 13.3v3M12 13.3v3M15 13.3v3"],
];

/** Finds the icon of a product. @param {string} words its category and title @returns {{tone: string, path: string}} */
export function drawingOf(words) {
    const [, tone, path] = produce.find(([pattern]) => pattern.test(words.toLowerCase())) ?? produce.at(-1);
    return { tone, path };
}
