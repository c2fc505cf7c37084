import Declarations
import System

// Writes all generated files; run by deploy/generate at the root of the repository.
for file in GeneratedFile.all {
    try File.writeAtomically(file.path, Array(file.text.utf8))
}
