import Declarations

/// The reference for programmers as a page (`/docs`): every operation of the API and every event, from the tables that
/// requests are checked by and the declarations that events are generated from.
enum ReferencePage {
    /// The address of the page.
    static let address = "docs"

    /// Returns the page as HTML.
    static var document: String {
        var html = HTMLText()
        html.doctype()
        html.element("html", ["lang": "en"]) { html in
            html.element("head") { head(&$0) }
            html.element("body", ["class": "reference"]) { html in
                html.element("a", ["class": "skip", "href": "#content"], "Skip to content")
                html.element("header") { html in
                    html.element("p", ["class": "brand"]) { $0.element("a", ["href": "/"], "Furrow") }
                }
                html.element("main", ["id": "content", "tabindex": "-1"], content)
                html.element("footer", ["class": "page-foot"]) { $0.element("p", "Furrow FURROW-VERSION") }
            }
        }
        return html.text
    }

    private static func head(_ html: inout HTMLText) {
        html.empty("meta", ["charset": "utf-8"])
        html.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        html.empty("meta", ["name": "color-scheme", "content": "light dark"])
        html.element("title", "API reference – Furrow")
        html.empty("link", ["rel": "icon", "href": "/assets/icons/furrow.svg", "type": "image/svg+xml"])
        for style in ["base", "reference"] {
            html.empty("link", ["rel": "stylesheet", "href": "/assets/css/\(style).css"])
        }
    }

    private static func content(_ html: inout HTMLText) {
        html.element("h1", "API reference")
        html.element("p", ["class": "quiet"]) { html in
            html.prose("For programs that call this farm's server, version FURROW-VERSION. The same as a document: ")
            html.element("a", ["href": "/openapi.json"], "OpenAPI 3.1")
            html.prose("; of the events: `furrow schema --asyncapi`.")
        }
        html.element("nav", ["aria-label": "Contents"], contents)
        Conventions.write(&html)
        for (index, subject) in Routes.subjects.enumerated() {
            html.element("section", ["aria-labelledby": id(of: index)]) { html in
                html.element("h2", ["id": id(of: index)], subject.title)
                for route in subject.routes { OperationEntry.write(route, &html) }
            }
        }
        for family in Family.all {
            html.element("section", ["aria-labelledby": id(of: family)]) { html in
                html.element("h2", ["id": id(of: family)], "Events: \(family.name)")
                html.element("p", family.documentation)
                for event in family.events { EventEntry.write(event, of: family, &html) }
            }
        }
    }

    private static func contents(_ html: inout HTMLText) {
        html.element("h2", "Contents")
        html.element("ul", ["role": "list"]) { html in
            entry("conventions", "How to call it", nil, &html)
            entry("errors", "Errors", nil, &html)
            for (index, subject) in Routes.subjects.enumerated() {
                entry(id(of: index), subject.title, subject.routes.count, &html)
            }
            for family in Family.all { entry(id(of: family), "Events: \(family.name)", family.events.count, &html) }
        }
    }

    private static func entry(_ id: String, _ title: String, _ count: Int?, _ html: inout HTMLText) {
        html.element("li") { html in
            html.element("a", ["href": "#\(id)"], title)
            if let count { html.element("span", ["class": "quiet"], " \(count)") }
        }
    }

    private static func id(of subject: Int) -> String { "subject-\(subject + 1)" }
    private static func id(of family: Family) -> String { "events-\(family.name)" }
}
