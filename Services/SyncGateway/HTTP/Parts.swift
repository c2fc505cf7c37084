/// The formats of path parameters.
extension Routes {
    static func part(_ name: String) -> APISchema {
        switch name {
        case "sha256": .form(.digest)
        case "person": .form(.line(200))
        case "key": .form(.key)
        case "kind": .words(["farm", "product"])
        case "category": .form(.line(200))
        case "level": .whole(0...63)
        case "index": .form(.tile)
        default: .name
        }
    }
}
