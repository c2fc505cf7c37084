"""Every format of sensors: random packets of an independent encoder, decoded by Furrow and by another program.

1,000 packets of each format, 100,000 with `FURROW_NIGHTLY=1`.
"""

import os
from dataclasses import replace

import pytest
from compare import FORMATS, compare

PACKETS = 100_000 if os.environ.get("FURROW_NIGHTLY") else 1000
#: The share of packets that a peer must decode for a comparison to mean anything.
DECODED = 0.9
#: Formats without an independent decoder: compared with the encoder alone.
UNCONFIRMED = {name for name, form in FORMATS.items() if form.peer == "none"}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_packet_is_decoded_wrongly(name):
    tally = compare(FORMATS[name], PACKETS)
    print(f"{name} ({FORMATS[name].peer}): {tally}")
    assert not tally.wrong, tally.wrong[:3]
    assert not tally.different, tally.different[:3]
    assert tally.packets == tally.right == PACKETS
    if name not in UNCONFIRMED:
        assert tally.decoded >= DECODED * PACKETS and tally.agreed > PACKETS // 2, tally


def test_a_decoder_that_is_off_by_a_step_is_caught():
    """The mutant: half a degree too much in one packet of fifty."""
    form, number = FORMATS["bthome2"], 0

    def shifted(values):
        nonlocal number
        number += 1
        return {quantity: value + 0.5 * (quantity == "temperature" and number % 50 == 0)
                for quantity, value in values.items()}

    tally = compare(form, 1000, shifted)
    print(f"mutant: {tally}")
    assert tally.wrong and tally.different


def test_a_deviation_that_no_packet_shows_is_not_listed():
    """Every listed deviation of a peer exists: without the list the comparison fails."""
    listed = 0
    for name, form in FORMATS.items():
        for deviation in form.deviations:
            rest = tuple(one for one in form.deviations if one is not deviation)
            tally = compare(replace(form, deviations=rest), 500)
            assert any(f": {deviation.quantity} " in line for line in tally.different), (name, deviation)
            listed += 1
    print(f"{listed} deviations of peers, each shown")
    assert listed >= 3
