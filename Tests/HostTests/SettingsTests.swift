import Testing

@testable import Host

@Suite("A setting in a file")
struct SettingsTests {
    @Test(arguments: ["secret", "secret\n", "secret\r\n"])
    func `is the line without its end, whatever wrote it`(text: String) {
        #expect(Settings.value(inFile: Array(text.utf8)) == "secret")
    }

    @Test func `keeps what belongs to it`() {
        #expect(Settings.value(inFile: Array("two\n\n".utf8)) == "two\n")
        #expect(Settings.value(inFile: Array(" spaced ".utf8)) == " spaced ")
    }
}
