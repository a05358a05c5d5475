"""docs/debugging_a_load.md has every message of the loader, and none that the loader does not have."""

from __future__ import annotations

import re

import pytest

from _loader_messages import ROOT, messages

PAGE = (ROOT / "docs" / "debugging_a_load.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| `")
]
ENTRIES = [cells[0].strip("`") for cells in ROWS]


def says(entry: str, message: str) -> bool:
    """Whether the message begins as the entry says, which has dots for what differs."""
    known = re.compile(r"^[.:\s]+")  # what comes before the first word that is known
    pieces = [re.escape(piece) for piece in re.split(r"\s*\.\.\.\s*", known.sub("", entry))]
    return re.match(".*?".join(pieces), known.sub("", message)) is not None


@pytest.mark.parametrize("message", sorted(messages()))
def test_a_message_of_the_loader_is_on_the_page(message):
    assert any(says(entry, message) for entry in ENTRIES), f"{messages()[message]}: {message}"


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_of_the_page_is_a_message_of_the_loader(entry):
    assert len(re.findall("[a-z]", entry)) >= 6, "an entry that says too little fits any message"
    assert any(says(entry, message) for message in messages())


def test_every_entry_has_a_cure():
    for cells in ROWS:
        assert len(cells) == 3 and cells[2], cells


def test_no_message_is_on_the_page_twice():
    assert len(set(ENTRIES)) == len(ENTRIES)
