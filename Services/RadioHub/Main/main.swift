import Glibc
import RadioHub

exit(RadioHubProgram.main(Array(CommandLine.arguments.dropFirst())))
