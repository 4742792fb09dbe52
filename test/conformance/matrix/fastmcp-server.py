"""A server of FastMCP with what the conformance suite calls, as far as FastMCP has it. Argument: the port on loopback."""

import asyncio
import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message
from fastmcp.tools import ToolResult
from mcp_types import (
    AudioContent,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
IMAGE = ImageContent(type="image", data=PNG, mime_type="image/png")

mcp = FastMCP("conformance")


def text(value):
    return TextContent(type="text", text=value)


def embedded(uri, mime_type, value):
    return EmbeddedResource(
        type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=value)
    )


@mcp.tool(output_schema=None)
def test_simple_text() -> str:
    return "This is a simple text response for testing."


@mcp.tool(output_schema=None)
def test_image_content():
    return ToolResult(content=[IMAGE])


@mcp.tool(output_schema=None)
def test_audio_content():
    return ToolResult(content=[AudioContent(type="audio", data=WAV, mime_type="audio/wav")])


@mcp.tool(output_schema=None)
def test_embedded_resource():
    return ToolResult(
        content=[embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
    )


@mcp.tool(output_schema=None)
def test_multiple_content_types():
    mixed = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return ToolResult(content=[text("Multiple content types test:"), IMAGE, mixed])


@mcp.tool(output_schema=None)
def test_error_handling():
    raise ToolError("This tool intentionally returns an error for testing")


@mcp.tool(output_schema=None)
async def test_tool_with_logging(ctx: Context) -> str:
    for data in ["Tool execution started", "Tool processing data", "Tool execution completed"]:
        await ctx.info(data)
        await asyncio.sleep(0.05)
    return "Logged."


@mcp.tool(output_schema=None)
async def test_tool_with_progress(ctx: Context) -> str:
    for progress in [0, 50, 100]:
        await ctx.report_progress(progress, 100)
        await asyncio.sleep(0.05)
    return "Progressed."


@mcp.tool(output_schema=None)
async def test_sampling(prompt: str, ctx: Context) -> str:
    asked = [SamplingMessage(role="user", content=text(prompt))]
    answer = await ctx.session.create_message(messages=asked, max_tokens=100)
    return f"LLM response: {answer.content}"


@dataclass
class User:
    username: str
    email: str


@mcp.tool(output_schema=None)
async def test_elicitation(message: str, ctx: Context) -> str:
    answer = await ctx.elicit(message, User)
    return f"Elicitation completed: action={answer.action}, content={getattr(answer, 'data', None)}"


@mcp.tool(output_schema=None)
async def test_logging_tool(ctx: Context) -> str:
    await ctx.info("Logged where the request asks for it")
    return "Done."


def asked_for(name, message, ctx):
    """What the client answered, or the question where it has not answered yet: the form of 2026-07-28."""
    if name in (ctx.input_responses or {}):
        return f"Answer: {ctx.input_responses[name]}"
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    params = ElicitRequestFormParams(message=message, requested_schema=schema)
    return InputRequiredResult(input_requests={name: ElicitRequest(params=params)})


@mcp.tool(output_schema=None)
async def test_streaming_elicitation(ctx: Context):
    return asked_for("confirm", "Go on?", ctx)


@mcp.tool(output_schema=None)
async def test_input_required_result_elicitation(ctx: Context):
    return asked_for("user_name", "What is your name?", ctx)


@mcp.tool(output_schema=None)
async def test_reconnection(ctx: Context) -> str:
    await asyncio.sleep(0.05)
    await ctx.close_sse_stream()
    await asyncio.sleep(0.1)
    return "Reconnected."


@mcp.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    return "This is the content of the static text resource."


@mcp.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    import base64

    return base64.b64decode(PNG)


@mcp.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    return "Watched resource content"


@mcp.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@mcp.prompt
def test_simple_prompt() -> str:
    return "This is a simple prompt for testing."


@mcp.prompt
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@mcp.prompt
def test_prompt_with_embedded_resource(resourceUri: str):
    return [
        Message(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
        Message("Please process the embedded resource above."),
    ]


@mcp.prompt
def test_prompt_with_image():
    return [Message(IMAGE), Message("Please analyze the image above.")]


mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error")
