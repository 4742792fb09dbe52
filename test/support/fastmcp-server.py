"""A FastMCP server of both eras on a loopback port, whose tools ask the client in the middle of a call."""

import sys

from fastmcp import Context, FastMCP

server = FastMCP("fastmcp")


@server.tool
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit("Name?", response_type=str)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.tool
async def sample(ctx: Context) -> str:
    answer = await ctx.sample("2+2?", max_tokens=9)
    return str(answer.text)


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
