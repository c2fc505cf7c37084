/// A member of an object as the reference describes it: name, shape in words, meaning, and members of its own.
struct DescribedMember {
    let name: String
    /// The shape in words: `list; each one: text`.
    let shape: String
    let isRequired: Bool
    let documentation: String?
    let members: [DescribedMember]

    /// Writes members as a list of definitions.
    static func write(_ members: [DescribedMember], _ html: inout HTMLText) {
        html.element("dl", ["class": "members"]) { html in
            for member in members {
                html.element("div") { html in
                    html.element("dt") { html in
                        html.element("code", member.name)
                        html.element("span", ["class": "shape"], member.shape)
                        if !member.isRequired { html.element("span", ["class": "optional"], "optional") }
                    }
                    guard member.documentation != nil || !member.members.isEmpty else { return }
                    html.element("dd") { html in
                        if let documentation = member.documentation { html.element("p", documentation) }
                        if !member.members.isEmpty { write(member.members, &html) }
                    }
                }
            }
        }
    }
}
