public import EventSourcing
public import JSON

/// The texts and sponsors of the shop's start page were replaced.
public struct SitePresented: Event, Equatable {
    public static let name = "farm.furrow.sync.site-presented.v1"

    /// A sponsor of the farm.
    public struct Sponsor: Sendable, Equatable, JSONReadable, JSONWritable {
        public var name: String
        /// The sponsor's address on the web, with its scheme.
        public var website: String?

        public init(name: String, website: String? = nil) {
            self.name = name
            self.website = website
        }

        public init(json: borrowing JSONValue) throws(JSONError) {
            name = try json.get("name")
            website = try json.find("website")
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("name", name)
                json.field("website", ifPresent: website)
            }
        }
    }

    public var title: String?
    public var welcome: String?
    /// The address of the donation page, with its scheme.
    public var donate: String?
    public var sponsors: [Sponsor]

    public init(title: String? = nil, welcome: String? = nil, donate: String? = nil, sponsors: [Sponsor]) {
        self.title = title
        self.welcome = welcome
        self.donate = donate
        self.sponsors = sponsors
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        title = try json.find("title")
        welcome = try json.find("welcome")
        donate = try json.find("donate")
        sponsors = try json.get("sponsors")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("title", ifPresent: title)
        json.field("welcome", ifPresent: welcome)
        json.field("donate", ifPresent: donate)
        json.field("sponsors", sponsors)
    }
}
