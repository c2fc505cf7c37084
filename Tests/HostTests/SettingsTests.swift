import Testing

@testable import Host

@Suite("Settings in files")
struct SettingsTests {
    @Test(arguments: ["secret", "secret\n", "secret\r\n"])
    func `a final line break is not part of the value of a setting`(text: String) {
        #expect(Settings.value(inFile: Array(text.utf8)) == "secret")
    }

    @Test func `an empty line and spaces are part of the value of a setting`() {
        #expect(Settings.value(inFile: Array("two\n\n".utf8)) == "two\n")
        #expect(Settings.value(inFile: Array(" spaced ".utf8)) == " spaced ")
    }
}
