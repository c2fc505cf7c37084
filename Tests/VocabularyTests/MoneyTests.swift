import JSON
import Testing
import Vocabulary

@Suite("Amounts of money")
struct MoneyTests {
    private let euro: Currency

    init() throws {
        euro = try #require(Currency("EUR"))
    }

    @Test func `a currency is three capital letters`() {
        #expect(Currency("CHF")?.code == "CHF")
        for wrong in ["", "eu", "eur", "EURO", "E1R", "ÄÖÜ"] { #expect(Currency(wrong) == nil, "\(wrong)") }
    }

    @Test(arguments: [
        (690, "USD", "6.90 USD"), (5, "EUR", "0.05 EUR"), (-390, "EUR", "-3.90 EUR"), (0, "EUR", "0.00 EUR"),
        (390, "JPY", "390 JPY"), (1250, "KWD", "1.250 KWD"), (1, "CLF", "0.0001 CLF"),
        (.min, "EUR", "-92233720368547758.08 EUR"),
    ])
    func `an amount is written with as many decimal digits as its currency has`(
        minor: Int64, code: String, text: String
    ) throws {
        #expect(Money(minor, try #require(Currency(code))).description == text)
    }

    @Test func `sums and multiples are exact, and an overflow gives nil`() throws {
        let franc = try #require(Currency("CHF"))
        #expect(Money(390, euro).times(3) == Money(1170, euro))
        #expect(Money(390, euro).plus(Money(-90, euro)) == Money(300, euro))
        #expect(Money(1, euro).plus(Money(1, franc)) == nil)
        #expect(Money(.max, euro).plus(Money(1, euro)) == nil)
        #expect(Money(.max / 2, euro).times(3) == nil)
        #expect(Money.sum([Money(1, euro), Money(2, euro), Money(3, euro)]) == Money(6, euro))
        #expect(Money.sum([Money]()) == nil)
        #expect(Money.sum([Money(1, euro), Money(2, franc)]) == nil)
    }

    @Test func `an amount is written and read in the smallest unit`() throws {
        var json = JSONWriter()
        Money(-390, euro).write(to: &json)
        #expect(json.text == #"{"minor":-390,"currency":"EUR"}"#)
        #expect(try Money(json: JSONValue.parse(json.text)) == Money(-390, euro))
        for wrong in [#"{"minor":3.9,"currency":"EUR"}"#, #"{"minor":390,"currency":"eur"}"#, #"{"minor":390}"#] {
            #expect(throws: JSONError.self) { try Money(json: JSONValue.parse(wrong)) }
        }
    }
}
