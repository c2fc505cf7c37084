import CFuzzer
import Foundation
import System

// fuzz TARGET [libFuzzer's options] CORPUS: runs generated inputs until one of them crashes the target.
// fuzz TARGET seeds FOLDER: writes the seed corpus.

let words = CommandLine.arguments
let chosen = Target(rawValue: words.dropFirst().first ?? "")
guard words.count > 2, chosen != nil else {
    print("Usage: fuzz \(Target.allCases.map(\.rawValue).joined(separator: "|")) seeds FOLDER, or libFuzzer's options")
    exit(2)
}
if words[2] == "seeds" {
    for (number, seed) in (try chosen?.seeds() ?? []).enumerated() {
        try Data(seed).write(to: URL(filePath: "\(words[3])/seed-\(number)"))
    }
    exit(0)
}
var count = CommandLine.argc - 1
var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv + 1
exit(
    unsafe LLVMFuzzerRunDriver(&count, &rest) { start, size in
        chosen?.read(unsafe Array(UnsafeBufferPointer(start: start, count: size)))
        return 0
    })
