"""Calls of the operations of Gorse's API for the contract test."""

from collections.abc import Callable

from client import Client, until


def gorse_calls(staff: Client) -> dict[str, Callable[[], dict]]:
    """Returns one call of each operation that has to succeed, created on demand."""
    feedback = [{"FeedbackType": "star", "UserId": "reader", "ItemId": "tomatoes", "Timestamp": "2026-01-01"}]

    def person() -> str:
        """A person of whom there is feedback."""
        until(lambda: staff.call("POST", "/api/feedback", feedback).json["RowAffected"] == 1, 20, "the feedback")
        return "reader"

    return {
        "gorse-recommend": lambda: {"path": {"user": "reader"}},
        "gorse-recommend-category": lambda: {"path": {"user": "reader", "category": "roots"}},
        "gorse-session": lambda: {"body": feedback},
        "gorse-neighbours": lambda: {"path": {"item": "tomatoes"}},
        "gorse-item": lambda: {"path": {"item": "tomatoes"}},
        "gorse-update-item": lambda: {"path": {"item": "tomatoes"}, "body": {}},
        "gorse-delete-item": lambda: {"path": {"item": "tomatoes"}},
        "gorse-user": lambda: {"path": {"user": person()}},
        "gorse-update-user": lambda: {"path": {"user": "reader"}, "body": {}},
        "gorse-delete-user": lambda: {"path": {"user": "reader"}},
        "gorse-user-feedback": lambda: {"path": {"user": "reader"}},
        "gorse-user-feedback-of-kind": lambda: {"path": {"user": "reader", "type": "star"}},
        "gorse-insert-feedback": lambda: {"body": feedback},
        "gorse-replace-feedback": lambda: {"body": feedback},
        "gorse-delete-feedback": lambda: {"path": {"user": "reader", "item": "tomatoes"}},
    }
