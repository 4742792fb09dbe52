/**
 * A client with the official SDK: it gets a token for a person from the example's identity provider, and lists or calls the gateway's tools.
 *
 *     node examples/identity/call.mjs ann                                  lists the tools that ann may call
 *     node examples/identity/call.mjs ann ledger_pay '{"amount": 900}'     calls one tool
 */
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gateway: { type: 'string', default: 'http://127.0.0.1:4483/mcp' },
    login: { type: 'string', default: 'http://127.0.0.1:4510' },
  },
});
const [person, tool, args = '{}'] = positionals;

const answer = await fetch(`${values.login}/tokens/${person}`);
if (!answer.ok) {
  console.error(`the identity provider has no person ${person}: try ann, ben or gus`);
  process.exit(2);
}
const headers = { Authorization: `Bearer ${await answer.text()}` };
const client = new Client({ name: 'call', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(values.gateway), { requestInit: { headers } }));
try {
  if (tool === undefined) for (const { name } of (await client.listTools()).tools) console.log(name);
  else console.log((await client.callTool({ name: tool, arguments: JSON.parse(args) })).content[0].text);
} catch (error) {
  // The SDK's `code` is the HTTP status. Its message contains the body of the response, a JSON-RPC error.
  const answered = /\{.*\}/.exec(error.message);
  console.error(`denied (${error.code}): ${answered === null ? error.message : JSON.parse(answered[0]).error.message}`);
  process.exitCode = 1;
}
await client.close();
