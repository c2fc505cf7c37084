import CCairo

/// One cairo surface and its drawing context; `finish()` returns the result.
@safe struct Canvas: ~Copyable {
    private let surface: OpaquePointer
    private let pen: OpaquePointer
    private let sink: Sink

    /// Points in a millimetre: 72 to an inch of 25.4 mm.
    static let pointsPerMillimetre = 72 / 25.4

    /// Returns a PDF page; sizes in millimetres.
    static func pdf(width: Double, height: Double) -> Canvas {
        let sink = Sink()
        let surface = unsafe cairo_pdf_surface_create_for_stream(
            Sink.write, sink.address, width * pointsPerMillimetre, height * pointsPerMillimetre)
        let canvas = unsafe Canvas(surface, sink)
        canvas.scale(pointsPerMillimetre)
        return canvas
    }

    /// Returns an SVG drawing; sizes in millimetres.
    static func svg(width: Double, height: Double) -> Canvas {
        let sink = Sink()
        let surface = unsafe cairo_svg_surface_create_for_stream(
            Sink.write, sink.address, width * pointsPerMillimetre, height * pointsPerMillimetre)
        let canvas = unsafe Canvas(surface, sink)
        canvas.scale(pointsPerMillimetre)
        return canvas
    }

    /// Returns a white bitmap, to be drawn on in millimetres.
    static func pixels(width: Int, height: Int, perMillimetre: Double) -> Canvas {
        let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        let canvas = unsafe Canvas(surface, Sink())
        unsafe cairo_set_source_rgb(canvas.pen, 1, 1, 1)
        unsafe cairo_paint(canvas.pen)
        canvas.scale(perMillimetre)
        return canvas
    }

    private init(_ surface: OpaquePointer?, _ sink: Sink) {
        // cairo never returns NULL: a failed surface or context is an object that stores its error.
        guard let surface = unsafe surface, let pen = unsafe cairo_create(surface) else {
            preconditionFailure("cairo never returns NULL")
        }
        unsafe self.surface = unsafe surface
        unsafe self.pen = unsafe pen
        self.sink = sink
        let options = unsafe cairo_font_options_create()
        // Unhinted widths are equal on screen and paper, so that lines break at the same place.
        unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe cairo_set_font_options(pen, options)
        unsafe cairo_font_options_destroy(options)
    }

    deinit {
        unsafe cairo_destroy(pen)
        unsafe cairo_surface_destroy(surface)
    }

    private func scale(_ factor: Double) {
        unsafe cairo_scale(pen, factor, factor)
    }

    /// Calls `body` with another origin and scale, then restores them.
    func within(
        x: Double, y: Double, scale: Double = 1, _ body: (borrowing Canvas) throws(PrintError) -> Void
    ) throws(PrintError) {
        unsafe cairo_save(pen)
        defer { unsafe cairo_restore(pen) }
        unsafe cairo_translate(pen, x, y)
        unsafe cairo_scale(pen, scale, scale)
        try body(self)
    }

    /// Sets the brightness of subsequent drawing: 0 is black, 1 white.
    func setGrey(_ brightness: Double) {
        unsafe cairo_set_source_rgb(pen, brightness, brightness, brightness)
    }

    /// Fills rectangles as one shape, so that no seams show where they touch.
    func fill(_ rectangles: [(x: Double, y: Double, width: Double, height: Double)], crisp: Bool = false) {
        unsafe cairo_set_antialias(pen, crisp ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT)
        for rectangle in rectangles {
            unsafe cairo_rectangle(pen, rectangle.x, rectangle.y, rectangle.width, rectangle.height)
        }
        unsafe cairo_fill(pen)
    }

    /// Sets the font; `size` is the body height in millimetres.
    func setFont(size: Double, bold: Bool) {
        let weight = bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL
        unsafe cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, weight)
        unsafe cairo_set_font_size(pen, size)
    }

    /// Returns the width of the text in the current font, in millimetres.
    func width(of text: String) -> Double {
        var extents = cairo_text_extents_t()
        unsafe cairo_text_extents(pen, text, &extents)
        return extents.x_advance
    }

    /// Draws the text from `x` on the base line `y`.
    func write(_ text: String, x: Double, y: Double) {
        unsafe cairo_move_to(pen, x, y)
        unsafe cairo_show_text(pen, text)
    }

    /// Draws a picture, centred in a square and as large as fits. Does nothing if its format cannot be printed.
    ///
    /// A JPEG is embedded as it is; a PNG is decoded.
    func draw(_ picture: PrintablePicture, x: Double, y: Double, side: Double) {
        let surface: OpaquePointer?
        switch picture.format {
        case .jpeg:
            // The file gets the JPEG's bytes; the surface only states its shape, so it needs no pixels.
            unsafe surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_A8, picture.width, picture.height)
            unsafe Canvas.attach(picture.bytes, to: surface)
        case .png: unsafe surface = unsafe Canvas.decodedPNG(picture.bytes)
        }
        guard let surface = unsafe surface else { return }
        defer { unsafe cairo_surface_destroy(surface) }
        guard unsafe cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else { return }
        let (width, height) = (Double(picture.width), Double(picture.height))
        let scale = side / max(width, height)
        unsafe cairo_save(pen)
        unsafe cairo_translate(pen, x + (side - width * scale) / 2, y + (side - height * scale) / 2)
        unsafe cairo_scale(pen, scale, scale)
        unsafe cairo_set_source_surface(pen, surface, 0, 0)
        unsafe cairo_paint(pen)
        unsafe cairo_restore(pen)
    }

    /// Attaches a JPEG to a surface, which frees the copy.
    private static func attach(_ bytes: [UInt8], to surface: OpaquePointer?) {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        unsafe copy.update(from: bytes, count: bytes.count)
        let status = unsafe cairo_surface_set_mime_data(
            surface, CAIRO_MIME_TYPE_JPEG, copy, UInt(bytes.count), { unsafe $0?.deallocate() }, copy)
        if status != CAIRO_STATUS_SUCCESS { unsafe copy.deallocate() }
    }

    private static func decodedPNG(_ bytes: [UInt8]) -> OpaquePointer? {
        let source = Pieces(bytes)
        return unsafe withExtendedLifetime(source) {
            unsafe cairo_image_surface_create_from_png_stream(Pieces.read, source.address)
        }
    }

    /// Ends the page and starts an empty one.
    func endPage() throws(PrintError) {
        unsafe cairo_show_page(pen)
        try check()
    }

    /// Returns the document: all pages of a PDF, or the SVG.
    consuming func finish() throws(PrintError) -> [UInt8] {
        try check()
        unsafe cairo_surface_finish(surface)
        try check()
        return sink.bytes
    }

    /// Returns the bitmap as PNG.
    consuming func finishPNG() throws(PrintError) -> [UInt8] {
        try check()
        let status = unsafe cairo_surface_write_to_png_stream(surface, Sink.write, sink.address)
        try Canvas.check(status)
        return sink.bytes
    }

    private func check() throws(PrintError) {
        try Canvas.check(unsafe cairo_status(pen))
        try Canvas.check(unsafe cairo_surface_status(surface))
    }

    private static func check(_ status: cairo_status_t) throws(PrintError) {
        guard status != CAIRO_STATUS_SUCCESS else { return }
        throw .library(operation: "drawing", reason: unsafe String(cString: cairo_status_to_string(status)))
    }
}

/// Collects cairo's output.
private final class Sink {
    private(set) var bytes: [UInt8] = []

    /// The context of the write callback; valid as long as the canvas retains this sink.
    var address: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    static let write: cairo_write_func_t = { address, piece, length in
        guard let address = unsafe address else { return CAIRO_STATUS_WRITE_ERROR }
        let sink = unsafe Unmanaged<Sink>.fromOpaque(address).takeUnretainedValue()
        unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: piece, count: Int(length)))
        return CAIRO_STATUS_SUCCESS
    }
}

/// Bytes that cairo reads piece by piece.
private final class Pieces {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var address: UnsafeMutableRawPointer {
        unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    static let read: cairo_read_func_t = { address, piece, length in
        guard let address = unsafe address, let piece = unsafe piece else { return CAIRO_STATUS_READ_ERROR }
        let pieces = unsafe Unmanaged<Pieces>.fromOpaque(address).takeUnretainedValue()
        let end = pieces.position + Int(length)
        guard end <= pieces.bytes.count else { return CAIRO_STATUS_READ_ERROR }
        for (offset, byte) in pieces.bytes[pieces.position..<end].enumerated() { unsafe piece[offset] = byte }
        pieces.position = end
        return CAIRO_STATUS_SUCCESS
    }
}
