"""Calls a gateway with the client of the official Python SDK and a token. Arguments: the URL, the file of the token, the names of tools to call."""

import asyncio
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

URL, FILE, CALLED = sys.argv[1], sys.argv[2], sys.argv[3:]


async def main():
    with open(FILE) as file:
        headers = {"Authorization": f"Bearer {file.read().strip()}"}
    async with create_mcp_http_client(headers=headers) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            listed = await client.list_tools()
            print("tools", *(tool.name for tool in listed.tools), flush=True)
            for name in CALLED:
                try:
                    result = await client.call_tool(name, {})
                    print(name, result.content[0].text, flush=True)
                except Exception as error:
                    print(name, error, flush=True)


asyncio.run(main())
