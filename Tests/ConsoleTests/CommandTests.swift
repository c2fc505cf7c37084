import Testing

@testable import Console

@Suite("The operator's command line")
struct CommandTests {
    @Test(arguments: Command.allCases)
    func `every command has a synopsis and a help text`(command: Command) {
        #expect(command.synopsis.hasPrefix(command.rawValue) && !command.help.isEmpty)
        #expect(Console.main([command.rawValue, "--help"]) == 0)
    }

    @Test(arguments: [
        ["status"], ["doctor"], ["logs"], ["backup"], ["restore", "set"], ["support-bundle"], ["audit"], ["stop"],
    ])
    func `an unknown option or a missing value is wrong usage`(words: [String]) {
        #expect(Console.main(words + ["--home", "/nonexistent", "--nonsense"]) == 2)
        #expect(Console.main(words + ["--home"]) == 2)
    }

    @Test(arguments: [
        ["parked", "list", "--reason", "old", "--home", "/nonexistent"], ["decode", "--bindkey", "00"],
        ["status", "--home", "here"],
    ])
    func `an option that the command does not accept is wrong usage`(words: [String]) {
        #expect(Console.main(words) == 2)
    }

    @Test func `the exit code distinguishes wrong usage, a failed command and a negative result`() throws {
        #expect(Console.main([]) == 2 && Console.main(["nonsense"]) == 2 && Console.main(["--help"]) == 0)
        #expect(Console.main(["--version"]) == 0)
        let folder = try Folder()
        #expect(Console.main(["status", "--home", folder.path]) == 3)
        #expect(Console.main(["doctor", "--home", folder.path]) == 1)
        #expect(Console.main(["backup", "--to", "here", "--home", folder.path]) == 2)
        #expect(Console.main(["restore", folder.path, "--home", folder("home")]) == 3)
    }
}
