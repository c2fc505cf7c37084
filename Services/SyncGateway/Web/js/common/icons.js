/** Line icons, 24 by 24, in the colour of the text. They are decorative; a text beside them explains them. */
const svg = "http://www.w3.org/2000/svg";

const drawings = {
    check: "M4.5 12.8l4.8 4.7L19.5 7",
    cross: "M6 6l12 12M18 6L6 18",
    dash: "M6 12h12",
    shield: "M12 2.8l7.5 2.8v6c0 4.7-3.1 8-7.5 9.6C7.6 19.6 4.5 16.3 4.5 11.6v-6zM8.3 12l2.6 2.6 4.9-5.2",
    warning: "M12 3.5l9.5 16.5h-19zM12 9.5v5M12 17.3v.2",
    info: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5.5M12 7.5v.2",
    offline: "M4 4l16 16M7.2 9.5A4.5 4.5 0 007 18.4h10.4M10 6.2A6 6 0 0117.8 11a3.7 3.7 0 012.7 5.6",
    clock: "M12 3a9 9 0 100 18 9 9 0 000-18zM12 7v5.3l3.3 2",
    sowing: "M12 21v-8M12 13c0-3.8-2.6-6.2-7-6.2 0 4 2.6 6.2 7 6.2zM12 11c0-3.6 2.5-6 7-6 0 3.9-2.6 6-7 6z",
    planting: "M12 20v-9M12 12.5C12 9 9.8 7 6 7c0 3.5 2.2 5.5 6 5.5z"
        + "M12 10.5c0-3.3 2.2-5.3 6-5.3 0 3.4-2.2 5.3-6 5.3zM5 20.5h14",
    irrigating: "M12 3.5c3.5 4.3 5.5 7.1 5.5 10.2a5.5 5.5 0 11-11 0C6.5 10.6 8.5 7.8 12 3.5z"
        + "M9.5 14.5a2.6 2.6 0 002.5 2.5",
    fertilising: "M7 8.5h10l1.5 12h-13zM9 8.5c-1.5-2-1-4 0-5h6c1 1 1.5 3 0 5M12 18v-5"
        + "M12 15c0-1.5-1-2.3-2.6-2.3 0 1.5 1 2.3 2.6 2.3zM12 14c0-1.5 1-2.3 2.6-2.3 0 1.5-1 2.3-2.6 2.3z",
    "plant-protection": "M9.5 10h5v10.5h-5zM11 10V6.5h2V10M10 6.5h5.5V4H12M18.5 4.2h.2M18.5 7h.2"
        + "M20.8 2.8h.2M20.8 5.6h.2M20.8 8.4h.2",
    weeding: "M14.5 3.5L8.5 14M6 12.5l5.2 3-1 1.8c-1.7 1-4.2-.4-4.2-2.3zM15 20.5c0-3 1.5-4.5 4.5-4.5"
        + "M15 20.5c0-2-1-3.2-2.7-3.4M12 20.5h8",
    harvested: "M4 10.5h16l-2 9.5H6zM8 10.5c0-3.5 1.7-6 4-6s4 2.5 4 6M9.5 14v3M14.5 14v3M12 14v3",
    split: "M12 3.5V9M12 9c0 4-6 3.5-6 8v3M12 9c0 4 6 3.5 6 8v3M3.5 17.5L6 20l2.5-2.5M15.5 17.5L18 20l2.5-2.5",
    packed: "M3.5 8L12 3.8 20.5 8v8.5L12 20.7 3.5 16.5zM3.5 8l8.5 4.2L20.5 8M12 12.2v8.5M7.8 5.9l8.5 4.2",
    stored: "M3.5 20.5V9.5L12 4l8.5 5.5v11M7 20.5v-8h10v8M7 16.5h10",
    "handed-over": "M2.5 6h11.5v10.5H2.5zM14 9.5h4l3.5 3.5v3.5H14M6.5 16.5a2 2 0 104 0 2 2 0 10-4 0"
        + "M15.5 16.5a2 2 0 104 0 2 2 0 10-4 0",
    temperature: "M10 13.6V5.5a2 2 0 014 0v8.1a4 4 0 11-4 0zM12 10v6",
    humidity: "M12 3.5c3.5 4.3 5.5 7.1 5.5 10.2a5.5 5.5 0 11-11 0C6.5 10.6 8.5 7.8 12 3.5z",
    illuminance: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2.5v2.3M12 19.2v2.3M2.5 12h2.3M19.2 12h2.3M5.3 5.3l1.6 1.6"
        + "M17.1 17.1l1.6 1.6M18.7 5.3l-1.6 1.6M6.9 17.1l-1.6 1.6",
    "soil-moisture": "M3 16.5c2-1.5 4-1.5 6 0s4 1.5 6 0 4-1.5 6 0M3 20.5c2-1.5 4-1.5 6 0s4 1.5 6 0 4-1.5 6 0"
        + "M12 3.5c2 2.5 3.2 4.1 3.2 5.9a3.2 3.2 0 11-6.4 0c0-1.8 1.2-3.4 3.2-5.9z",
    gauge: "M4.5 18a9 9 0 1115 0M12 14l4-5M12 14v.2",
    home: "M4 11l8-6.5 8 6.5M6 9.5V20h12V9.5M10 20v-5.5h4V20",
    field: "M3 19.5h18M5 19.5c1-6 3-10 5-12M12 19.5V7.5M19 19.5c-1-6-3-10-5-12M4 7.5h16",
    people: "M9 11.5a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM3 20c0-4 2.5-6 6-6s6 2 6 6M16 4.8a3.5 3.5 0 010 6.5"
        + "M17.5 14.3c2.2.7 3.5 2.5 3.5 5.7",
    bell: "M6 16.5V11a6 6 0 0112 0v5.5l1.5 2h-15zM10 18.5a2 2 0 004 0",
    print: "M7 9V3.5h10V9M5 17H3.5V9h17v8H19M7 14h10v6.5H7z",
    sprout: "M12 21v-8M12 13c0-3.8-2.6-6.2-7-6.2 0 4 2.6 6.2 7 6.2zM12 11c0-3.6 2.5-6 7-6 0 3.9-2.6 6-7 6z",
    server: "M4 4.5h16v6H4zM4 13.5h16v6H4zM7.5 7.5h.2M7.5 16.5h.2M11 7.5h5.5M11 16.5h5.5",
    pencil: "M4 20l1-4.5L16 4.5l3.5 3.5-11 11zM14 6.5l3.5 3.5",
    arrow: "M5 12h14M13 6l6 6-6 6",
    pin: "M12 21c-4.5-5-6.5-8.4-6.5-11.3a6.5 6.5 0 0113 0C18.5 12.6 16.5 16 12 21z"
        + "M12 7.3a2.4 2.4 0 100 4.8 2.4 2.4 0 000-4.8z",
    basket: "M3.5 10h17l-1.8 9.5H5.3zM7.5 10l3.5-6M16.5 10L13 4M9 13.3v3M12 13.3v3M15 13.3v3",
    camera: "M3.5 8h4l1.5-2.5h6L16.5 8h4v11h-17zM12 10.2a3.2 3.2 0 100 6.4 3.2 3.2 0 000-6.4z",
    card: "M3 6h18v12.5H3zM3 10h18M6.5 15h4",
    heart: "M12 20C6 15.6 3.5 12.6 3.5 9.3A4.6 4.6 0 0112 7a4.6 4.6 0 018.5 2.3C20.5 12.6 18 15.6 12 20z",
};

/** @param {string} name @returns {SVGElement} the icon; a sprout if the name is unknown */
export function icon(name) {
    return drawn(drawings[name] ?? drawings.sprout);
}

/** @param {string} line path data, 24 by 24 @returns {SVGElement} an icon of this path */
export function drawn(line) {
    const element = document.createElementNS(svg, "svg");
    element.setAttribute("viewBox", "0 0 24 24");
    element.setAttribute("class", "icon");
    element.setAttribute("aria-hidden", "true");
    element.setAttribute("focusable", "false");
    const path = document.createElementNS(svg, "path");
    path.setAttribute("d", line);
    element.append(path);
    return element;
}
