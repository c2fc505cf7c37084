import Glibc
import ProxyNode

exit(ProxyNodeProgram.main(Array(CommandLine.arguments.dropFirst())))
