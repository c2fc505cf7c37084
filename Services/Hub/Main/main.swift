import Glibc
import Hub

exit(HubProgram.main(Array(CommandLine.arguments.dropFirst())))
