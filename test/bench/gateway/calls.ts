/** Requests as clients send them, in both revisions. */

export const STATELESS_REVISION = '2026-07-28';

/** The number in a request's text that the load generator replaces in each request. */
const ID_PLACE = 1000000;

const ARGUMENTS = {
  query: 'customers in the north that ordered twice and never complained',
  limit: 10,
  filters: ['status:open', 'region:north', 'priority:high'],
  note: 'the last of these filters is optional',
};

const STATELESS_META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A call of about 300 bytes, whose id the load generator increments. */
export function sessionCall(name: string): string {
  return message('tools/call', { name, arguments: ARGUMENTS });
}

/** A call as from `sessionCall`, but with different arguments each time. */
export function differingCall(name: string): string {
  const query = `customers in the north that ordered ${ID_PLACE} and never`;
  return message('tools/call', { name, arguments: { ...ARGUMENTS, query } });
}

export function statelessCall(name: string): string {
  return message('tools/call', { name, arguments: ARGUMENTS, _meta: STATELESS_META });
}

export function listTools(): string {
  return message('tools/list', {});
}

function message(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: ID_PLACE, method, params });
}

export function sessionHead(sessionId: string): string {
  return `Mcp-Session-Id: ${sessionId}\r\nMCP-Protocol-Version: 2025-11-25\r\n`;
}

/** Members of the body that a client repeats as headers in the stateless revision. */
export function statelessHead(name: string): string {
  return `MCP-Protocol-Version: ${STATELESS_REVISION}\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`;
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Whether a server accepts a call in the stateless revision. */
export async function speaksStateless(url: string, name: string): Promise<boolean> {
  const lines = statelessHead(name).trimEnd().split('\r\n');
  const own = lines.map(line => line.split(': ') as [string, string]);
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...Object.fromEntries(own) },
    body: statelessCall(name),
  });
  return (await response.text()).includes('"result"');
}
