/// Names the release that this source belongs to.
public enum Release {
    /// The version that `furrow --version` and the footer of every page show, as in CHANGELOG.md: that of the release,
    /// or of the next one with `-dev` behind it.
    public static let version = "0.1.0-dev"
}
