/// What holds for every operation: how to sign in, repeat, page and read errors.
enum Conventions {
    static func write(_ html: inout HTMLText) {
        html.element("section", ["aria-labelledby": "conventions"]) { html in
            html.element("h2", ["id": "conventions"], "How to call it")
            html.element("p", "Sign in, then call with the cookie:")
            html.element("pre") { $0.element("code") { $0.verbatim(example) } }
            html.element("dl", ["class": "terms"]) { html in
                for (term, meaning) in terms {
                    html.element("dt", term)
                    html.element("dd", meaning)
                }
            }
        }
        html.element("section", ["aria-labelledby": "errors"]) { html in
            html.element("h2", ["id": "errors"], "Errors")
            html.element(
                "p",
                "Problem details (RFC 9457): `type`, `title`, `status`, and `detail`, which says what is wrong and what "
                    + "to do. The body has the type `application/problem+json`.")
            html.element("dl", ["class": "terms"]) { html in
                for status in Set(Routes.all.flatMap(\.problems)).sorted() {
                    html.element("dt", ["id": "error-\(status)"]) { $0.element("code", String(status)) }
                    html.element("dd", Route.meaning(of: status))
                }
            }
        }
    }

    private static let example = """
        curl --cookie-jar farm.cookie --header 'Idempotency-Key: 1' \\
            --json '{"email":"EMAIL","password":"PASSWORD"}' http://FARM:8080/v1/sessions
        curl --cookie farm.cookie http://FARM:8080/v1/lots
        curl --cookie farm.cookie --header 'Idempotency-Key: 2' \\
            --json '{"farm":"FARM","plot":"north","title":"North field"}' http://FARM:8080/v1/plots
        """

    private static let terms: KeyValuePairs<String, String> = [
        "Bodies": "JSON (RFC 8259) in UTF-8 with `Content-Type: application/json`, unless another type is named.",
        "Who": "The session of a person: its cookie, or its token as `Authorization: Bearer …`. A role may do what "
            + "lower ones may: buyer, auditor, grower, administrator.",
        "Repeating":
            "Every change needs an `Idempotency-Key`, unique for the caller: the same request with the same key "
            + "is executed once and gets the same response. A status of 202 means that the outcome is not known yet; "
            + "`Location` is its address.",
        "Lists": "A list comes in pages: `items`, and `next` if there are more; it is the `after` of the next request.",
        "Unknown names": "Members and parameters that are not described are refused, and the detail names them. With "
            + "`Prefer: handling=lenient` they are ignored and listed in `Furrow-Ignored`.",
        "Optional members": "They may be left out; in requests they may also be `null`.",
        "Times": "RFC 3339 with an offset in requests, in UTC in responses: `2026-05-03T07:15:00Z`.",
        "Money": "An object: `minor` is the amount in the smallest unit of the currency, such as cents, and `currency` "
            + "its code as in ISO 4217.",
        "Freshness": "`Furrow-Hub-Position` is the position in the farm's log that a response reflects.",
        "Events": "The services exchange events as CloudEvents over ZeroMQ; the fields below are those of `data`. "
            + "`furrow replay --origin hub` prints them, one a line.",
    ]
}
