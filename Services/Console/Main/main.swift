import Console
import Glibc

exit(Console.main(Array(CommandLine.arguments.dropFirst())))
