import Imaging

/// The plan of the simulated tool shed: two shelves with fifteen places each, and a door.
enum FakeShedPlan {
    private static let (width, height) = (900, 420)
    private static let shelf = 15

    /// Where a tool hangs, as thousandths of the plan's width and height.
    static func spot(_ number: Int) -> (x: Int, y: Int) {
        (x: 70 + (number % shelf) * 860 / (shelf - 1), y: number < shelf ? 250 : 820)
    }

    static func picture() -> Bitmap {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width { pixels += colour(x, y) }
        }
        return Bitmap(width: width, height: height, pixels: pixels)
    }

    /// Red, green and blue at a pixel.
    private static func colour(_ x: Int, _ y: Int) -> [UInt8] {
        let edge = min(x, y, width - 1 - x, height - 1 - y)
        let isDoor = x > width - 12 && (170..<250).contains(y)
        if edge < 8 { return isDoor ? [244, 239, 226] : [94, 90, 73] }
        let isShelf = (30..<110).contains(y) || (300..<380).contains(y)
        guard isShelf, (30..<width - 30).contains(x) else { return [244, 239, 226] }
        let place = (x - 30) % ((width - 60) / shelf)
        return place < 2 || [30, 31, 108, 109, 300, 301, 378, 379].contains(y) ? [146, 128, 88] : [216, 201, 163]
    }
}
