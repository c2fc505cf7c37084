/// Reads the file in which a farm declares the payloads of its own ZigBee nodes.
///
/// Each line is a declaration of words; `#` begins a comment:
///
/// ```
/// layout greenhouse-node          # begins a layout: letters, digits and hyphens
///   profile 0x0F05                # with which the node sends
///   cluster 0x0001
///   endpoint 20                   # of the coordinator, to which it sends; not for profiles that have one already
///   sensor dht11                  # optional: the kind of sensor, which decides what is plausible
///   counter at 0 u16              # optional: a number that increases with every measurement
///   temperature at 2 s16 /100     # a quantity: first byte, form, divisor; then +N is added
///   soil-moisture at 4 u8
///   sum at 5                      # optional: the low byte of the sum of all bytes before it
/// ```
///
/// Forms are `u8` to `u64` and `s8` to `s64` in whole bytes, low byte first or with `be` high byte first, and `tenths`:
/// a byte of whole units and one of tenths (DHT11). Values are in the quantity's unit.
public struct LayoutFile: Sendable {
    /// The most bytes of a file.
    public static let bytesMax = 65_536

    /// An error of one line, which is counted from 1.
    public struct Flaw: Error, Equatable, CustomStringConvertible {
        public let line: Int
        public let reason: String

        public var description: String { "line \(line): \(reason)" }
    }

    /// The layouts, in the order of the file.
    public let layouts: [Layout]

    /// Reads a file. Throws the first flaw.
    ///
    /// - Parameter known: Layouts that are there already; their names, and their profiles with clusters, are taken.
    public init(_ bytes: [UInt8], besides known: [Layout] = Layout.known) throws(Flaw) {
        guard bytes.count <= Self.bytesMax else {
            throw Flaw(line: 1, reason: "the file is longer than \(Self.bytesMax) bytes")
        }
        var all = known
        var draft: LayoutDraft?
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let words = Self.words(line)
            guard let first = words.first else { continue }
            let number = index + 1
            do throws(LayoutDraft.Refusal) {
                if first == "layout" {
                    if let draft { all.append(try draft.finished(among: all)) }
                    guard all.count - known.count < RadioLimits.layouts else {
                        throw LayoutDraft.Refusal("more than \(RadioLimits.layouts) layouts")
                    }
                    draft = try LayoutDraft(words, line: number)
                } else {
                    guard draft != nil else { throw LayoutDraft.Refusal("a layout begins with: layout NAME") }
                    try draft?.add(words, line: number)
                }
            } catch {
                throw Flaw(line: error.line ?? number, reason: error.reason)
            }
        }
        if let draft {
            do throws(LayoutDraft.Refusal) {
                all.append(try draft.finished(among: all))
            } catch {
                throw Flaw(line: error.line ?? draft.line, reason: error.reason)
            }
        }
        layouts = Array(all.dropFirst(known.count))
    }

    /// Returns the words of a line before its comment.
    private static func words(_ line: [UInt8].SubSequence) -> [String] {
        let text = line.prefix { $0 != UInt8(ascii: "#") }
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        return text.split { blanks.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
