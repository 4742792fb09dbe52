"""Signs in at a gateway with the client of the official Python SDK, and lists its tools. Arguments: the URL, and the port of the callback."""

import asyncio
import sys
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

URL, PORT = sys.argv[1], int(sys.argv[2])


class Memory:
    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def main():
    memory = Memory()
    answers = asyncio.Queue()

    async def take(reader, writer):
        line = await reader.readline()
        answers.put_nowait(line.decode().split(" ")[1])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def redirect(url):
        print(url, flush=True)

    async def callback():
        query = parse_qs(urlsplit(await answers.get()).query)
        code, state, iss = (query.get(name, [None])[0] for name in ("code", "state", "iss"))
        return AuthorizationCodeResult(code=code, state=state, iss=iss)

    metadata = OAuthClientMetadata(redirect_uris=[f"http://127.0.0.1:{PORT}/callback"], client_name="a test")
    auth = OAuthClientProvider(URL, metadata, memory, redirect, callback)
    async with await asyncio.start_server(take, "127.0.0.1", PORT):
        async with create_mcp_http_client(auth=auth) as http:
            async with Client(streamable_http_client(URL, http_client=http)) as client:
                listed = await client.list_tools()
                print("tools", *(tool.name for tool in listed.tools), flush=True)


asyncio.run(main())
