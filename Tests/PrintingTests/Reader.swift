import Foundation
import Printing
import Testing

/// The programs that scan printed labels, as packaged by Debian (zbar-tools, librsvg2-bin, poppler-utils).
enum Reader {
    /// Returns the texts of all QR codes in a picture, sorted; nil, with a printed note, if a program is not installed.
    static func texts(in picture: URL) throws -> [String]? {
        let arguments = ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture.path]
        guard let output = try run("zbarimg", arguments) else { return nil }
        return output.split(separator: "\n").map(String.init).sorted()
    }

    /// Returns the standard output of a program; nil, with a printed note, if it is not installed.
    static func run(_ program: String, _ arguments: [String]) throws -> String? {
        let path = "/usr/bin/" + program
        guard FileManager.default.isExecutableFile(atPath: path) else {
            print("SKIPPED \(program) is not installed")
            return nil
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    /// Calls `body` with a new folder and removes it afterwards.
    static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                Issue.record(error)
            }
        }
        try body(folder)
    }

    /// Returns a bare code as a picture (PGM), with the given pixels for each module.
    static func picture(of symbol: QRSymbol, pixels: Int = 4) -> Data {
        let side = (symbol.width + 2 * PrintLimits.quietModules) * pixels
        var picture = Data("P5 \(side) \(side) 255\n".utf8)
        for y in 0..<side {
            for x in 0..<side {
                let dark = symbol[
                    x: x / pixels - PrintLimits.quietModules, y: y / pixels - PrintLimits.quietModules]
                picture.append(dark ? 0 : 255)
            }
        }
        return picture
    }
}

/// Labels as a farm prints them.
enum Example {
    /// An upper-case GS1 Digital Link with a signature, 172 characters.
    static func url(_ number: Int = 7) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        let signature = (0..<107).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return alphabet[Int(state >> 59)]
        }
        let serial = String(repeating: "0", count: 4 - String(number).count) + String(number)
        return "HTTPS://F.EXAMPLE/S1" + String(signature) + "/01/09506000134352/10/2026-TOM-08/21/\(serial)K3QX"
    }

    static func label(_ number: Int = 7) -> Label {
        Label(
            url: url(number), title: "Tomatoes “Harzfeuer”",
            lines: ["Lot 2026-TOM-08", "Box \(number) of 25", "Harvested 14 August 2026", "Höhenhof, Wernigerode"])
    }
}
