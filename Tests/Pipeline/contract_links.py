"""A correction of schemathesis, which looks for links in responses."""

from schemathesis.engine import observations


def safe_links() -> None:
    """Makes schemathesis skip a text that only looks like a link, `http://[x`, at which it would end."""
    find = observations._same_origin_path

    def find_safely(value: str, origin: tuple[str, str]) -> str | None:
        try:
            return find(value, origin)
        except ValueError:
            return None

    observations._same_origin_path = find_safely
