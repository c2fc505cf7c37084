import Vocabulary

/// A layout whose lines are being read.
struct LayoutDraft {
    /// Why a line cannot be used; `line` names another one than that being read.
    struct Refusal: Error {
        let reason: String
        var line: Int?

        init(_ reason: String, line: Int? = nil) {
            self.reason = reason
            self.line = line
        }
    }

    /// The line of its name.
    let line: Int
    private let name: String
    private var numbers: [String: Int] = [:]
    private var fields: [Layout.Field] = []
    private var counter: Layout.Counter?
    private var sumOffset: Int?
    private var kind: SensorKind?
    /// The use of each byte of the payload.
    private var used: [Int: String] = [:]

    private static let ranges = ["profile": 0...0xFFFF, "cluster": 0...0xFFFF, "endpoint": 1...240]
    private static let sensors: [String: SensorKind] = [
        "dht11": .dht11, "plant": .plant, "thermocouple": .thermocouple,
    ]
    private static let longestName = 40

    init(_ words: [String], line: Int) throws(Refusal) {
        self.line = line
        guard words.count == 2, let name = words.last, name.count <= Self.longestName,
            name.utf8.allSatisfy({ Self.isNameByte($0) })
        else {
            throw Refusal(
                "expected: layout NAME, of at most \(Self.longestName) lower-case letters, digits and hyphens")
        }
        self.name = name
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
    }

    mutating func add(_ words: [String], line: Int) throws(Refusal) {
        let first = words[0]
        if let range = Self.ranges[first] {
            guard words.count == 2, let number = Self.number(words[1]), range.contains(number) else {
                throw Refusal("expected: \(first) and a number from \(range.lowerBound) to \(range.upperBound)")
            }
            guard numbers.updateValue(number, forKey: first) == nil else { throw Refusal("a second \(first)") }
        } else if first == "sensor" {
            guard words.count == 2, let kind = Self.sensors[words[1]], self.kind == nil else {
                throw Refusal("expected once: sensor and one of \(Self.sensors.keys.sorted().joined(separator: ", "))")
            }
            self.kind = kind
        } else if first == "sum" {
            guard words.count == 3, words[1] == "at", let offset = Self.number(words[2]), sumOffset == nil else {
                throw Refusal("expected once: sum at BYTE")
            }
            try use(offset, 1, for: "the sum of line \(line)")
            sumOffset = offset
        } else if first == "counter" {
            guard words.count == 4, words[1] == "at", let offset = Self.number(words[2]),
                case .unsigned(let width)? = Layout.Form(words[3]), counter == nil
            else { throw Refusal("expected once: counter at BYTE u8, u16, u24 or u32") }
            try use(offset, width, for: "the counter of line \(line)")
            counter = Layout.Counter(at: offset, width: width)
        } else {
            try add(field: words, line: line)
        }
    }

    /// Adds a quantity: `temperature at 2 s16 /100 +-40`.
    private mutating func add(field words: [String], line: Int) throws(Refusal) {
        guard let quantity = Quantity(rawValue: words[0]), quantity.isReported else {
            let names = Quantity.allCases.filter(\.isReported).map(\.rawValue).joined(separator: ", ")
            throw Refusal("\(words[0]) is none of: profile, cluster, endpoint, sensor, counter, sum, \(names)")
        }
        guard words.count >= 4, words[1] == "at", let offset = Self.number(words[2]) else {
            throw Refusal("expected: \(words[0]) at BYTE FORM, for example \(words[0]) at 0 s16 /100")
        }
        guard let form = Layout.Form(words[3]) else {
            throw Refusal("\(words[3]) is no form: u8, u16, u32, s8, s16, s32, each also with be, or tenths")
        }
        guard !fields.contains(where: { $0.quantity == quantity }) else { throw Refusal("a second \(words[0])") }
        var (divisor, addend) = (1.0, 0.0)
        for word in words.dropFirst(4) {
            guard let number = Double(word.dropFirst()), number.isFinite else {
                throw Refusal("\(word) is neither a divisor such as /100 nor an addend such as +-40")
            }
            switch word.first {
            case "/" where number != 0: divisor = number
            case "+": addend = number
            default: throw Refusal("\(word) is neither a divisor such as /100 nor an addend such as +-40")
            }
        }
        try use(offset, form.width, for: "\(words[0]) of line \(line)")
        fields.append(Layout.Field(quantity, at: offset, form, divisor: divisor, addend: addend))
    }

    private mutating func use(_ offset: Int, _ width: Int, for what: String) throws(Refusal) {
        guard offset + width <= RadioLimits.serialData else {
            throw Refusal("a payload has at most \(RadioLimits.serialData) bytes")
        }
        for byte in offset..<(offset + width) {
            if let before = used.updateValue(what, forKey: byte) {
                throw Refusal("byte \(byte) is \(before) already; bytes are counted from 0")
            }
        }
    }

    /// Returns the layout. Throws if something is missing, or contradicts `others`.
    func finished(among others: [Layout]) throws(Refusal) -> Layout {
        guard !fields.isEmpty else { throw Refusal("\(name) has no quantity", line: line) }
        guard let profile = numbers["profile"], let cluster = numbers["cluster"] else {
            throw Refusal("\(name) needs a profile and a cluster", line: line)
        }
        let usual = ZNPDecoder.usualProfiles.first { Int($0.value) == profile }?.key
        guard let endpoint = numbers["endpoint"].map({ UInt8($0) }) ?? usual else {
            throw Refusal("\(name) needs the endpoint of the coordinator to which the node sends", line: line)
        }
        let layout = Layout(
            name: name, profile: UInt16(profile), cluster: UInt16(cluster), endpoint: endpoint, fields: fields,
            counter: counter, sumOffset: sumOffset, kind: kind ?? .any)
        for other in others {
            if other.name == name { throw Refusal("\(name) is the name of another layout", line: line) }
            if other.profile == layout.profile, other.cluster == layout.cluster {
                throw Refusal("\(name) has the profile and the cluster of \(other.name)", line: line)
            }
            if other.endpoint == endpoint, other.profile != layout.profile {
                throw Refusal("endpoint \(endpoint) has the profile of \(other.name)", line: line)
            }
        }
        if let taken = ZNPDecoder.usualProfiles[endpoint], taken != layout.profile {
            throw Refusal("endpoint \(endpoint) has another profile; use one from 2 to 239", line: line)
        }
        return layout
    }

    /// Returns a number, decimal or as `0x0F05`; not negative.
    private static func number(_ text: String) -> Int? {
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        return number.flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension Layout.Form {
    /// Reads `u16`, `s32be` or `tenths`; nil for other words.
    init?(_ word: String) {
        if word == "tenths" {
            self = .wholeAndTenths
            return
        }
        let isBigEndian = word.hasSuffix("be")
        let digits = word.dropFirst().dropLast(isBigEndian ? 2 : 0)
        guard let bits = Int(digits), bits > 0, bits <= 64, bits.isMultiple(of: 8) else { return nil }
        switch (word.first, isBigEndian) {
        case ("u", false): self = .unsigned(width: bits / 8)
        case ("u", true): self = .unsignedBigEndian(width: bits / 8)
        case ("s", false): self = .signed(width: bits / 8)
        case ("s", true): self = .signedBigEndian(width: bits / 8)
        default: return nil
        }
    }
}
