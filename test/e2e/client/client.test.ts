/** `lintel ls` and `lintel call` at real servers: one of the official SDK, and one that requires a token. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

const TOKEN = 'tok-S3CRET-41c7';

/** The refusals of the server that requires a token, by the header that the caller sends. */
const REFUSALS = new Map<string, readonly [status: number, challenge: string]>([
  [
    'Bearer old',
    [401, 'Bearer realm="x", error="invalid_token", error_description="the token old has \\"expired\\"", scope="mcp"'],
  ],
  ['Bearer small', [403, 'Bearer error="insufficient_scope", error_description="too little", scope="mcp write"']],
]);

let sdk: SdkServer;
let guarded: RawServer;

beforeAll(async () => {
  sdk = await startSdkServer({
    transport: 'streamable-http',
    tools: [{ name: 'find_notes', description: 'Finds notes.\nAll.' }],
  });
  const answer = withHandshake(({ message }, response) => {
    const { id, method, params } = message as { id: unknown; method: string; params?: { name?: string } };
    const isCall = method === 'tools/call';
    const failing = params?.name === 'fails';
    const result = isCall
      ? { content: [{ type: 'text', text: failing ? 'no luck' : 'done\u001b[31m' }], isError: failing }
      : {
          tools: [
            { name: 'works', inputSchema: { type: 'object' } },
            { name: 'fails', inputSchema: { type: 'object' } },
          ],
        };
    const unknown = isCall && params?.name !== 'works' && params?.name !== 'fails';
    const error = { code: -32602, message: `unknown tool, says ${TOKEN}` };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...(unknown ? { error } : { result }) }));
  });
  guarded = await startRawServer((request, response) => {
    if (request.headers.authorization === `Bearer ${TOKEN}`) return answer(request, response);
    const [status, challenge] = REFUSALS.get(request.headers.authorization ?? '') ?? [401, 'Bearer'];
    response.writeHead(status, { 'www-authenticate': challenge }).end();
  });
});

afterAll(async () => {
  await sdk.close();
  await guarded.close();
});

function lintel(args: readonly string[], env: Record<string, string> = {}, input?: string) {
  return runLintel(args, { env, ...(input !== undefined && { input }) });
}

test('`lintel ls` shows what a server offers, and with --format json the complete definitions', async () => {
  const { code, stdout, stderr } = await lintel(['ls', sdk.url]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Tools: \d+\n/);
  expect(stdout).toMatch(/\n {2}find_notes +Finds notes\. All\.\n/);
  const json = JSON.parse((await lintel(['ls', sdk.url, '--format', 'json'])).stdout);
  expect(json.tools.map(({ name }: { name: string }) => name)).toContain('find_notes');
});

test('`lintel call` prints the text of the tool, or with --format json the complete result', async () => {
  expect(await lintel(['call', 'find_notes', '{"words":"x"}', '--url', sdk.url])).toEqual({
    code: 0,
    stdout: 'find_notes\n',
    stderr: '',
  });
  const { stdout } = await lintel(['call', 'find_notes', '-', '--url', sdk.url, '--format', 'json'], {}, '{}');
  expect(JSON.parse(stdout).content).toEqual([{ type: 'text', text: 'find_notes' }]);
});

/** A typical server of the official SDK: it answers a call of an unknown tool with a result that says so. */
async function startUsualServer() {
  const server = createServer(async (request, response) => {
    const mcp = new McpServer({ name: 'usual', version: '1' });
    mcp.registerTool('find_notes', {}, () => ({ content: [] }));
    // The SDK's types disagree with exactOptionalPropertyTypes.
    type Options = ConstructorParameters<typeof StreamableHTTPServerTransport>[0];
    const options = { sessionIdGenerator: undefined, enableJsonResponse: true } as unknown as Options;
    const transport = new StreamableHTTPServerTransport(options);
    await mcp.connect(transport as Parameters<McpServer['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('`lintel call` suggests similar names when a server answers an unknown tool with a failed result', async () => {
  const url = await startUsualServer();
  const { code, stdout, stderr } = await lintel(['call', 'find_note', '--url', url]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/find_note not found/)]);
  expect(stderr).toBe('lintel: there is no tool "find_note": did you mean find_notes? `lintel ls` lists all\n');
});

test('`lintel call` reads a token from a variable or a file, and exits with code 1 if the tool fails', async () => {
  const url = `${guarded.origin}/mcp`;
  await using folder = await temporaryFolder({ token: `${TOKEN}\n` });
  const works = await lintel(['call', 'works', '--url', url], { LINTEL_TOKEN: TOKEN });
  expect(works).toEqual({ code: 0, stdout: 'done\uFFFD[31m\n', stderr: '' });
  const fails = await lintel(['call', 'fails', '--url', url, '--token-file', folder.file('token')]);
  expect(fails).toEqual({ code: 1, stdout: 'no luck\n', stderr: '' });
  const unknown = await lintel(['call', 'work', '--url', url], { LINTEL_TOKEN: TOKEN });
  expect(unknown).toEqual({
    code: 3,
    stdout: '',
    stderr: `lintel: ${url}: unknown tool, says *** (JSON-RPC error -32602); there is no tool "work": did you mean works? \`lintel ls\` lists all\n`,
  });
});

test('lintel says what to do when a server answers 401 to a missing or wrong token', async () => {
  const url = `${guarded.origin}/mcp`;
  expect(await lintel(['ls', url])).toEqual({
    code: 3,
    stdout: '',
    stderr: `lintel: ${url}: it wants a token, and none was sent (HTTP 401). \`lintel doctor auth ${url}\` shows where tokens come from; with one in a file, give --token-file, or set LINTEL_TOKEN. To try a gateway of yours without a sign-in, \`lintel dev --as NAME,groups=GROUP\` makes tokens\n`,
  });
  const wrong = await lintel(['call', 'works', '--url', url], { LINTEL_TOKEN: 'another-S3CRET' });
  expect(wrong).toMatchObject({
    code: 3,
    stderr: `lintel: ${url}: it does not take this token (HTTP 401); it may be expired, or be meant for another server. \`lintel doctor auth ${url}\` shows where tokens come from; give a new one by --token-file or LINTEL_TOKEN\n`,
  });
  expect(wrong.stderr).not.toContain('S3CRET');
});

test.each([
  ['ls', ['ls']],
  ['call', ['call', 'works', '--url']],
])('`lintel %s` prints the message of the server about the token, without the token', async (_, args) => {
  const url = `${guarded.origin}/mcp`;
  const old = await lintel([...args, url], { LINTEL_TOKEN: 'old' });
  expect(old.stderr).toContain(
    `lintel: ${url}: it does not take this token (HTTP 401): the server says "the token *** has \\"expired\\"". \`lintel doctor auth `,
  );
  const small = await lintel([...args, url], { LINTEL_TOKEN: 'small' });
  expect(small).toEqual({
    code: 3,
    stdout: '',
    stderr: `lintel: ${url}: refused the credentials of the request (HTTP 403): the server says "too little"; the token is known, and allows too little; it asks for the scopes "mcp write"\n`,
  });
});

test.each<[what: string, args: readonly string[], code: number, message: string]>([
  [
    'no server listens at the URL',
    ['ls', 'http://127.0.0.1:9/mcp'],
    3,
    'nothing listens there: start a gateway with `lintel dev`',
  ],
  ['no server listens at the URL of --url', ['ls', '--url', 'http://127.0.0.1:9/mcp'], 3, 'nothing listens there'],
  ['two URLs', ['ls', 'http://a.example/mcp', '--url', 'http://b.example/mcp'], 2, 'give the URL once'],
  [
    'an invalid URL',
    ['ls', 'mcp.example.com'],
    2,
    'this is not an http or https URL: it does not begin with http:// or https://; give the URL that clients are given, such as http://127.0.0.1:4483/mcp\n',
  ],
  ['arguments that are not JSON', ['call', 'a', '{a}'], 2, 'the arguments are no JSON: '],
  [
    'arguments as several name=value words',
    ['call', 'a', 'b=1', 'c=x y'],
    2,
    `between quotes, and several words are given: write \`npx lintel call a '{"b":1,"c":"x y"}'\``,
  ],
  [
    'arguments as one name=value word',
    ['call', 'a', 'b=007'],
    2,
    `the arguments are no JSON: write \`npx lintel call a '{"b":"007"}'\``,
  ],
  [
    'a name=value word with options',
    ['call', 'a', 'b=1', '--url', 'http://b.example/mcp', '--token-file', 't t'],
    2,
    `write \`npx lintel call a '{"b":1}' --url http://b.example/mcp --token-file 't t'\``,
  ],
  [
    'a URL in place of --url',
    ['call', 'a', '{}', 'http://b.example/mcp'],
    2,
    "the URL of the server is given by --url: write `npx lintel call a '{}' --url http://b.example/mcp`",
  ],
  [
    'a URL with a secret in place of --url',
    ['call', 'a', 'https://b.example/mcp?key=x'],
    2,
    "write `npx lintel call a --url 'https://b.example/mcp?…'`",
  ],
  ['two objects', ['call', 'a', '{}', '{}'], 2, `several words are given: write the arguments as '{"name": "value"}'`],
  ['arguments that are no object', ['call', 'a', '[]'], 2, 'the arguments are no JSON object: '],
  ['a token file that does not exist', ['ls', '--token-file', 'none'], 2, '--token-file: cannot read none: '],
])('`lintel ls` and `lintel call` print what is wrong: %s', async (_, args, code, message) => {
  expect(await lintel(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
});

test('lintel does not send a token over plain http', async () => {
  const { code, stderr } = await lintel(['ls', 'http://mcp.example.com/mcp'], { LINTEL_TOKEN: TOKEN });
  expect([code, stderr]).toEqual([
    2,
    'lintel: http://mcp.example.com/mcp: a token is not sent over plain http, where others can read it: use https\n',
  ]);
});
