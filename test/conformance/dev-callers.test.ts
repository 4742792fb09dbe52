/** Clients of other vendors call a gateway of `lintel dev --as`, with the tokens that it writes. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Announcement, FREE_PORTS } from '../e2e/served.ts';
import { GROUP, inlineGateway } from '../e2e/specs.ts';
import { startToolBackend } from '../runtime/auth-server/tool-backend.ts';
import { PROGRAM, start, temporaryFolder } from '../support/process.ts';
import { MCP_REMOTE, npmProgram, orSkip, pythonWith } from './install.ts';

const ISSUER = 'https://login.example.invalid';

/** Specs of a gateway whose identity provider is unreachable. */
function specs(url: string): string {
  const auth = `incomingAuth:
    type: oidc
    oidcConfigRef: { name: company, audience: office, resourceUrl: http://127.0.0.1:4483/mcp }
    authzConfig:
      type: inline
      inline:
        policies:
          - 'permit (principal in Group::"staff", action == Action::"call_tool", resource);'
          - 'permit (principal, action == Action::"call_tool", resource == Tool::"backend_tell_look");'`;
  const provider = `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: company }
spec: { type: inline, inline: { issuer: ${ISSUER} } }
`;
  return `${GROUP}---\n${provider}---\n${inlineGateway('office', url).replace('incomingAuth: { type: anonymous }', auth)}`;
}

let url: string;
let tokens: { readonly [subject: string]: string };
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  const backend = await startToolBackend(['tell_act', 'tell_look']);
  opened.defer(() => backend.close());
  const folder = opened.use(await temporaryFolder({ 'gateway.yaml': specs(`${backend.origin}/mcp`) }));
  const args = ['dev', '.', ...FREE_PORTS, '--as', 'ann,groups=staff', '--as', 'ben'];
  const dev = opened.use(start(PROGRAM.lintel, args, { cwd: folder.path }));
  ({ url } = await dev.announcement<Announcement>());
  const fileOf = async (name: string) => {
    const line = await dev.stderr.next(new RegExp(` {2}${name}: npx lintel ls http\\S+ --token-file .*\\n`));
    return line.trim().split(' ').at(-1) ?? '';
  };
  tokens = { ann: await fileOf('ann'), ben: await fileOf('ben') };
});
afterAll(() => opened.disposeAsync());

const MAY: readonly (readonly [subject: string, tools: readonly string[]])[] = [
  ['ann', ['backend_tell_act', 'backend_tell_look']],
  ['ben', ['backend_tell_look']],
];

test.for(MAY)(
  'mcp-remote gets the tools that the gateway grants to the caller %s',
  async ([subject, tools], context) => {
    const program = await orSkip(context, npmProgram('mcp-remote', MCP_REMOTE, 'dist/proxy.js'));
    await using folder = await temporaryFolder();
    const token = (await readFile(tokens[subject] ?? '', 'utf8')).trim();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, url, '--allow-http', '--header', `Authorization: Bearer ${token}`],
      env: { PATH: folder.path, HOME: folder.path, MCP_REMOTE_CONFIG_DIR: folder.path },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    await client.connect(transport, { timeout: 300_000 });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools);
    const call = client.callTool({ name: 'backend_tell_act', arguments: {} });
    if (tools.includes('backend_tell_act')) await expect(call).resolves.toMatchObject({ content: [{ text: 'done' }] });
    else await expect(call).rejects.toThrow('unknown tool "backend_tell_act"');
  },
);

test.for(MAY)(
  'the client of the Python package mcp gets the tools that the gateway grants to the caller %s',
  async ([subject, tools], context) => {
    const folder = join(import.meta.dirname, 'clients');
    const python = await orSkip(context, pythonWith(join(folder, 'requirements.txt'), 'mcp-client'));
    const args = [join(folder, 'call.py'), url, tokens[subject] ?? '', 'backend_tell_act'];
    const { stdout } = await promisify(execFile)(python, args);
    const called = tools.includes('backend_tell_act') ? 'done' : 'unknown tool "backend_tell_act"';
    expect(stdout.trim().split('\n')).toEqual([`tools ${tools.join(' ')}`, `backend_tell_act ${called}`]);
  },
);
