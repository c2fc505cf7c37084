import Testing
import Vocabulary

@testable import RadioHub

@Suite("Pictures in a watched folder")
struct CameraFileTests {
    @Test func `the folders of a picture name its place and camera`() throws {
        let file = try #require(CameraFile(path: "plot/south/mast 1/IMG_0001.JPG"))
        #expect(file.place.description == "plot/south" && file.camera == "mast 1")
        let taken = Instant(microseconds: 1_777_792_500_000_000)
        #expect(
            file.target(taken: taken)
                == "/v1/photographs?place=plot%2Fsouth&camera=mast%201&at=2026-05-03T07%3A15%3A00.000000Z")
        let plain = try #require(CameraFile(path: "store/cold/1.webp"))
        #expect(plain.place.description == "store/cold" && plain.camera == nil)
    }

    @Test(arguments: [
        "plot/south/notes.txt", "plot/south/.1.jpg", "1.jpg", "south/1.jpg", "plot/1.jpg", "plot/a/b/c/1.jpg",
        "field/south/1.jpg", "plot/south/1.jpg.refused", "plot/so uth/1.jpg", "",
    ])
    func `what is no picture of a place is left alone`(path: String) {
        #expect(CameraFile(path: path) == nil)
    }
}
