import Declarations

/// One event on the page: folded, with its name and sentence in sight.
enum EventEntry {
    static func write(_ event: EventType, of family: Family, _ html: inout HTMLText) {
        let name = event.name(in: family)
        html.element("details", ["id": name, "data-event": name]) { html in
            html.element("summary") { html in
                html.element("code", ["class": "path"], name)
                html.element("span", ["class": "sentence"], event.documentation)
            }
            if event.fields.isEmpty {
                html.element("p", "It has no fields.")
            } else {
                DescribedMember.write(event.fields.map(DescribedMember.init), &html)
            }
        }
    }
}
