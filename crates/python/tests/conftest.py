"""What the tests share: the samples, and the program to compare with if there is a build of it."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(os.environ.get("SETSIGHT_ROOT", Path(__file__).parents[3]))


@pytest.fixture(scope="session")
def samples() -> list[Path]:
    """Drawn tables that belong to the project."""
    return sorted((ROOT / "datasets/samples").glob("*.jpg"))


@pytest.fixture(scope="session")
def card_schema() -> dict[str, Any]:
    """The members of a card in what ``scan`` prints as JSON."""
    schema = json.loads((ROOT / "docs/reference/schemas/scan.json").read_text())
    members: dict[str, Any] = schema["$defs"]["card"]["properties"]
    return members


@pytest.fixture(scope="session")
def program() -> Callable[..., list[dict[str, Any]]]:
    """Runs the program, and gives its lines of JSON."""
    path = os.environ.get("SETSIGHT_PROGRAM")
    if path is None:
        pytest.skip("SETSIGHT_PROGRAM names no build of the program to compare with")

    def run(*args: str | Path) -> list[dict[str, Any]]:
        command = [path, *map(str, args), "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
