"""The sidecar under the official MCP SDK's own client, in each form of the protocol."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "# Herons\n\nThey stand in shallow water and wait for fish.\n"


@pytest.fixture
def command(tmp_path: Path) -> StdioServerParameters:
    """How the client starts the sidecar; it strips the environment, as clients do."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "broker", "serve"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": str(tmp_path),
            "PI_WEBAIO_HOME": str(tmp_path / "webaio"),
            "PI_WEBAIO_CDP_BROKER": "0",
        },
    )


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_the_official_client_reads_and_searches_a_file(
    command: StdioServerParameters, tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "herons.md"
    path.write_text(TEXT)
    steps: list[str | None] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        del progress, total
        steps.append(message)

    async with Client(command, mode=mode) as client:
        tools = await client.list_tools()
        assert {"search", "fetch", "read", "status"} <= {tool.name for tool in tools.tools}

        fetched = await client.call_tool("fetch", {"source": str(path)}, progress_callback=tell)
        assert not fetched.is_error
        assert fetched.structured_content is not None
        (document,) = fetched.structured_content["documents"]
        assert (document["title"], document["via"]) == ("Herons", "local")
        assert any("stored" in (message or "") for message in steps)

        found = await client.call_tool("read", {"id": document["id"], "find": "shallow water"})
        assert found.structured_content is not None
        assert "shallow water" in found.structured_content["documents"][0]["finds"][0]["text"]

        refused = await client.call_tool("fetch", {"sourc": str(path)})
        assert refused.is_error
        status = await client.call_tool("status", {})
        assert not status.is_error


async def test_both_forms_say_who_answers(command: StdioServerParameters) -> None:
    for mode in ("legacy", "auto"):
        async with Client(command, mode=mode) as client:
            assert client.server_info is not None
            assert client.server_info.name == "webaio"
