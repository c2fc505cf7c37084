import Testing

@testable import Console

@Suite("Backed-up files of a home")
struct HomeContentsTests {
    @Test func `the operator's own maps are backed up and restored to their paths`() throws {
        let folder = try Folder()
        try folder.write("sync-gateway/0/journal.db", [1])
        try folder.write("maps/upper-austria.geojson", [2])
        try folder.write("maps/notes.txt", [3])
        try folder.write("demo.json", [4])
        let contents = try HomeContents([folder.path])
        #expect(contents.settings.map(\.name) == ["home/demo.json", "home/maps/upper-austria.geojson"])
        for item in contents.settings + contents.journals {
            let place = HomeContents.place(of: item.name, part: .facts)
            #expect(place.map { folder($0) } == item.path)
        }
        #expect(HomeContents.place(of: "home/other/x", part: .facts) == nil)
    }

    @Test func `the lost+found folder of a mounted home is not backed up`() throws {
        let folder = try Folder()
        for name in ["trace-ledger", "lost+found"] { try folder.write("\(name)/0/journal.db", [1]) }
        #expect(try HomeContents([folder.path]).journals.map(\.name) == ["journals/trace-ledger/0.db"])
        #expect(try HomeContents.names(in: folder.path) == ["trace-ledger"])
    }
}
