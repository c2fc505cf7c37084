import Testing

@testable import Console

@Suite("The operator's command")
struct CommandTests {
    @Test(arguments: Command.allCases)
    func `tells of every command how it is used`(command: Command) {
        #expect(command.synopsis.hasPrefix(command.rawValue) && !command.help.isEmpty)
        #expect(Console.main([command.rawValue, "--help"]) == 0)
    }

    @Test(arguments: [
        ["status"], ["doctor"], ["logs"], ["backup"], ["restore", "set"], ["support-bundle"], ["audit"], ["stop"],
    ])
    func `calls a word that it does not know wrong use`(words: [String]) {
        #expect(Console.main(words + ["--home", "/nonexistent", "--nonsense"]) == 2)
        #expect(Console.main(words + ["--home"]) == 2)
    }

    @Test(arguments: [
        ["parked", "list", "--reason", "old", "--home", "/nonexistent"], ["decode", "--bindkey", "00"],
        ["status", "--home", "here"],
    ])
    func `calls an option that makes no sense there wrong use`(words: [String]) {
        #expect(Console.main(words) == 2)
    }

    @Test func `tells wrong use, what cannot be, and what is not well apart`() throws {
        #expect(Console.main([]) == 2 && Console.main(["nonsense"]) == 2 && Console.main(["--help"]) == 0)
        #expect(Console.main(["--version"]) == 0)
        let folder = try Folder()
        #expect(Console.main(["status", "--home", folder.path]) == 3)
        #expect(Console.main(["doctor", "--home", folder.path]) == 1)
        #expect(Console.main(["backup", "--to", "here", "--home", folder.path]) == 2)
        #expect(Console.main(["restore", folder.path, "--home", folder("home")]) == 3)
    }
}
