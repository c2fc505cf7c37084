"""The pages at https://farm.test, with a certificate of the farm's own authority, which a browser must trust first."""

import os
import subprocess

import pytest
from conftest import PHONE
from coordinator import FakeCoordinator
from farm import Farm
from playwright.sync_api import Error
from story import Story
from story_driver import StoryPage

NAME = "farm.test"
LOT = "TOM-1A"


@pytest.fixture(scope="module")
def lived():
    """A farm server that is known as https://farm.test, and one lot's story."""
    radio = FakeCoordinator()
    server = Farm(environment={"FURROW_SOURCES": radio.source, "FURROW_PUBLIC_URL": f"https://{NAME}"})
    try:
        server.start()
        yield server, Story(server, radio, server.claim()).live()
    finally:
        server.destroy()
        radio.close()


@pytest.fixture(scope="module")
def farm(lived) -> Farm:
    return lived[0]


@pytest.fixture(scope="module")
def phones(farm, playwright, launch, tmp_path_factory):
    """Browsers with a certificate store of their own, which has the farm's authority in it or not."""
    browsers = []

    def make(trusting: bool):
        home = tmp_path_factory.mktemp("phone")
        store = home / ".pki" / "nssdb"
        store.mkdir(parents=True)
        subprocess.run(["certutil", "-N", "-d", f"sql:{store}", "--empty-password"], check=True)
        if trusting:
            subprocess.run(["certutil", "-A", "-d", f"sql:{store}", "-n", "farm", "-t", "C,,", "-i",
                            farm.run_file["ca"]], check=True)
        port = farm.run_file["https"].rsplit(":", 1)[1]
        browsers.append(playwright.chromium.launch(
            executable_path=launch["executable_path"], env=os.environ | {"HOME": str(home)},
            args=[*launch["args"], f"--host-resolver-rules=MAP {NAME}:443 127.0.0.1:{port}"]))
        return browsers[-1].new_context(viewport=PHONE)

    yield make
    for browser in browsers:
        browser.close()


def test_a_label_of_a_public_address_is_scanned_checked_and_kept(lived, phones, pictures):
    url = lived[1].told["labels"]["labels"][0]["url"]
    assert url.lower().startswith(f"https://{NAME}/s1")
    context = phones(trusting=True)
    story = StoryPage(context)
    verdict = story.open(url)
    assert verdict.tone == "good", verdict
    assert story.page.evaluate("isSecureContext") and story.page.url.startswith(f"https://{NAME}/")
    story.page.screenshot(path=pictures / "https-story.png")
    story.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    assert story.reload().tone == "good"
    context.set_offline(True)
    verdict = story.reload()
    assert verdict.tone == "good" and story.story_text().strip(), verdict
    assert story.problems == []


def test_staff_sign_in_over_https_with_a_cookie_that_scripts_cannot_read(farm, phones):
    page = phones(trusting=True).new_page()
    page.goto(f"https://{NAME}/staff")
    answered = page.evaluate(
        """body => fetch("/v1/sessions", {method: "POST", body, headers: {"Content-Type": "application/json",
           "Idempotency-Key": crypto.randomUUID()}}).then(answer => answer.status)""",
        '{"email": "ada@farm.test", "password": "correct horse battery"}')
    cookies = page.context.cookies()
    print(f"signed in with {answered}; {len(cookies)} cookies, all secure and closed to scripts")
    assert answered == 201 and len(cookies) == 2 and all(each["secure"] and each["httpOnly"] for each in cookies)


def test_a_browser_that_does_not_know_the_authority_refuses(farm, phones):
    """What proves that nothing above looked away."""
    page = phones(trusting=False).new_page()
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(f"https://{NAME}/staff")
