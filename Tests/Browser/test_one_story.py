"""The one story: radio, lot, label, offer, order, collected, suggestion, second device, recall, buyer told, audit.

The twins at its end are careless at one seam each, and it has to notice each of them."""

import json
import uuid

import pytest
from mail_sink import MailSink
from one_story import OneStory
from radio_farm import RadioFarm

FLOOR = 60


@pytest.fixture
def begin(new_phone, tmp_path, pictures):
    """Makes a story with a farm and a mail server of its own."""
    begun: list[OneStory] = []

    def make() -> OneStory:
        mail = MailSink(tmp_path, put_off=1, turn_away=1)
        farm = RadioFarm({"FURROW_SMTP": mail.url, "FURROW_MAIL_FROM": "shop@horse-creek.test"})
        begun.append(OneStory(farm, mail, new_phone, tmp_path, pictures))
        return begun[-1]

    yield make
    for story in begun:
        story.link.close()
        story.mail.close()
        story.farm.destroy()


def until_ordered(story: OneStory) -> None:
    for step in (story.grow, story.harvest, story.offer, story.order_without_a_network):
        step()


def until_recalled(story: OneStory) -> None:
    until_ordered(story)
    for step in (story.collect, story.suggest, story.open_a_second_device, story.recall):
        step()


def test_one_box_from_the_radio_to_its_recall(begin):
    story = begin()
    until_recalled(story)
    story.live_with_the_recall()
    story.audit()
    print(f"seen in one story: {len(story.seen)}")
    for what in story.seen:
        print(f"  {what}")
    assert len(story.seen) >= FLOOR


@pytest.mark.nightly
def test_it_notices_an_order_that_is_sent_again_under_another_name(begin):
    story = begin()

    def forget_the_name(body: bytes) -> bytes:
        told = json.loads(body)
        for order in told["changes"].get("orders", {}).get("created", []):
            order["id"] = str(uuid.uuid4())
        return json.dumps(told).encode()

    story.link.rewrite["/v1/sync"] = forget_the_name
    with pytest.raises(AssertionError, match="the order is in the log once|the order to be sent"):
        until_ordered(story)


@pytest.mark.nightly
def test_it_notices_that_a_device_is_not_told(begin):
    story = begin()

    def keep_quiet(body: bytes) -> bytes:
        return body.replace(b'"recalled":', b'"remembered":')

    story.link.change["/v1/sync"] = keep_quiet
    with pytest.raises(Exception, match="recall"):
        until_recalled(story)
    assert "the desk knows the favourite" in story.seen and "the grower's page says so" in story.seen


@pytest.mark.nightly
def test_it_notices_a_letter_that_is_taken_and_not_delivered(begin):
    story = begin()
    story.mail.to = lambda recipient: []
    story.mail.taken = NothingKept()
    with pytest.raises(AssertionError, match="two letters at the mail server"):
        until_recalled(story)


class NothingKept(list):
    """A mailbox that says yes and throws away."""

    def append(self, letter) -> None:
        """Gone."""
