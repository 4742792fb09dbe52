/** The text that the quickstart prints when the gateway runs: what a person can do with it next. */
import { styleText } from 'node:util';

/**
 * @param {object} running
 * @param {string} running.url of the MCP endpoint
 * @param {string} running.internal URL of the internal address
 * @param {string} running.spec path of the file that is served
 */
export function nextSteps({ url, internal, spec }) {
  const vscode = JSON.stringify({ servers: { lintel: { type: 'http', url } } });
  return `${heading('Connect a client')}
  Claude Code    claude mcp add --transport http lintel ${url}
  VS Code        .vscode/mcp.json: ${vscode}
  MCP Inspector  npx @modelcontextprotocol/inspector, then Transport: Streamable HTTP, URL: ${url}

${heading('Look inside')}
  ${internal}/status

${heading('Edit while it runs')}
  ${spec}
  Add "- compare" below "- monthly" and save: climate_compare appears here and in every connected client.
  Then misspell "filter": the finding names the line, and the served bundle is unchanged.`;
}

function heading(text) {
  return styleText('bold', text);
}
