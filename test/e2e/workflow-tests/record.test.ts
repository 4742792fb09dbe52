/** `lintel test --record`: responses of live backends are written into the tests, and credentials are not. */
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';

const TOKEN = 'token-of-the-operator-1';

const readOnly = { annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } };
const OBJECT = { type: 'object', properties: { count: { type: 'integer' } } };
const TOOLS = [
  { name: 'count', ...readOnly, outputSchema: OBJECT },
  { name: 'turns', ...readOnly },
  { name: 'leak', ...readOnly },
  { name: 'header', ...readOnly },
  { name: 'broken', ...readOnly },
  { name: 'write', inputSchema: { type: 'object' } },
];

async function startBackend() {
  let turns = 0;
  const text = (words: string) => ({ content: [{ type: 'text', text: words, _meta: { private: 1 } }] });
  const calls: { readonly [tool: string]: (args: { kind?: string }, authorization: string) => object | undefined } = {
    count: ({ kind }) =>
      kind === 'none'
        ? { ...text(`no ${kind}`), isError: true }
        : { content: [{ type: 'text', text: '{"count":3}' }], structuredContent: { count: 3 } },
    turns: () => text(`turn ${++turns}`),
    leak: () => text('{"user":{"api_key":"0123456789"}}'),
    header: (_, authorization) => text(`you sent ${authorization.slice('Bearer '.length)}`),
    write: () => text('written'),
  };
  const server = await startRawServer(({ message, headers }, response) => {
    const { id, method, params } = message ?? {};
    const results: { readonly [method: string]: object | undefined } = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'b', version: '1' },
      },
      'tools/list': { tools: TOOLS },
      'tools/call': calls[params?.name]?.(params?.arguments ?? {}, headers.authorization ?? ''),
    };
    const result = results[method];
    response.statusCode = id === undefined ? 202 : 200;
    const error = { code: -32603, message: `broken near ${TOKEN}` };
    if (id !== undefined) response.setHeader('content-type', 'application/json');
    response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  });
  onTestFinished(() => server.close());
  const called = () =>
    server.requests.flatMap(({ message }) => (message?.method === 'tools/call' ? [message.params.name] : []));
  return { url: `${server.origin}/mcp`, called };
}

const step = (id: string, tool: string, more = '') =>
  `          - { id: ${id}, tool: b.${tool}${more && `, ${more}`} }\n`;

const specs = (url: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
spec: { description: One backend. }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: g }
spec:
  groupRef: { name: g }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config:
    backends:
      - { name: b, url: "${url}", transport: streamable-http }
    compositeTools:
      - name: reads
        description: Reads twice, and counts
        parameters: { type: object, properties: { kind: { type: string } } }
        steps:
${step('first', 'turns')}${step('second', 'turns', 'dependsOn: [first]')}${step('count', 'count', 'dependsOn: [second], arguments: { kind: "{{ .params.kind }}" }')}
      - name: leaks
        description: Calls what must not be kept
        steps:
${step('leak', 'leak')}${step('header', 'header')}${step('broken', 'broken')}
      - name: writes
        description: Reads, then writes
        steps:
${step('read', 'turns')}${step('write', 'write', 'dependsOn: [read]')}`;

const TESTS = {
  'specs/reads.test.yaml': `workflow: reads
tests:
  # Of all that there is.
  - name: counts
    input: { kind: all }
    expect:
      output: { count: 3 }
  - name: counts nothing
    input: { kind: none }
    tools:
      b.turns:
        - content: [{ type: text, text: by hand }]
          times: 1
    expect:
      failure: { step: count, reason: tool_error, message: no none }
`,
  'specs/leaks.test.yaml': 'workflow: leaks\ntests:\n  - name: leaks\n',
  'specs/writes.test.yaml': 'workflow: writes\ntests:\n  - name: writes\n',
};

const readIn = (folder: TemporaryFolder, file: string) => readFile(folder.file(file), 'utf8');

const lintel = (folder: TemporaryFolder, ...args: readonly string[]) =>
  runLintel(args, { cwd: folder.path, env: { B_TOKEN: TOKEN } });

test('`lintel test --record` writes the answers of the backends into a test, which then passes without the backends', async () => {
  const { url, called } = await startBackend();
  await using folder = await temporaryFolder({ 'specs/g.yaml': specs(url), ...TESTS });
  expect((await lintel(folder, 'lock', 'specs', '--token', 'b=env:B_TOKEN')).stderr).toContain(
    'wrote lintel.lock.json',
  );

  const record = ['test', 'specs', '--record', '--token', 'b=env:B_TOKEN'];
  const { code, stdout, stderr } = await lintel(folder, ...record);
  expect([code, stderr]).toEqual([
    1,
    'lintel: recorded 5 answers in specs/reads.test.yaml\nlintel: recorded 1 answer in specs/writes.test.yaml\n',
  ]);
  for (const words of [
    'calls b.leak, whose answer seems to have a credential at content.0.text: it is not recorded',
    'calls b.header, whose answer repeats the credential that it was shown: it is not recorded',
    'calls b.broken, which gave no answer: refused the call (JSON-RPC error -32603)',
    'step "write" calls b.write, and the test has no answer to that',
    'since it is not said to be read-only: --allow-writes calls it',
  ])
    expect(stdout).toContain(words);
  expect(called()).not.toContain('write');
  const written = await readIn(folder, 'specs/reads.test.yaml');
  expect(written).toContain(
    '  # Of all that there is.\n  - name: counts\n    tools:\n      b.turns:\n        - times: 1\n',
  );
  expect(written).toContain('toolError: no none');
  const all = await Promise.all(Object.keys(TESTS).map(file => readIn(folder, file)));
  expect(all.join('')).not.toMatch(/token-of-the-operator|0123456789|_meta/);

  const before = called().length;
  const offline = await lintel(folder, 'test', 'specs/reads.test.yaml');
  expect([offline.code, offline.stdout.endsWith('2 tests: 2 passed\n')], offline.stdout).toEqual([0, true]);
  const again = await lintel(folder, 'test', 'specs/reads.test.yaml', '--record', '--token', 'b=env:B_TOKEN');
  expect([again.code, again.stderr]).toEqual([
    0,
    'lintel: nothing to record: the tests have every answer that their runs ask for\n',
  ]);
  expect(called().length).toBe(before);
  expect(await readIn(folder, 'specs/reads.test.yaml')).toBe(written);

  const allowed = await lintel(
    folder,
    'test',
    'specs/writes.test.yaml',
    '--record',
    '--allow-writes',
    '--token',
    'b=env:B_TOKEN',
  );
  expect([allowed.code, called().at(-1)], allowed.stdout).toEqual([0, 'write']);
  expect(allowed.stderr).toBe('lintel: recorded 1 answer and 1 expectation in specs/writes.test.yaml\n');
  expect(await readIn(folder, 'specs/writes.test.yaml')).toContain(`    expect:
      output:
        text: written
      calls:
        - tool: b.turns
          arguments: {}
        - tool: b.write
          arguments: {}
`);
  expect((await lintel(folder, 'test', 'specs/writes.test.yaml')).code).toBe(0);
});

test('`lintel test --record` reports the tools that it cannot call and the test files that it cannot write', async () => {
  const { url } = await startBackend();
  await using folder = await temporaryFolder({
    'specs/g.yaml': specs(url),
    'specs/w.test.yaml': 'workflow: writes\ntests: [{ name: w }]\n',
  });
  await lintel(folder, 'lock', 'specs');
  const braces = await lintel(folder, 'test', 'specs', '--record');
  expect([braces.code, braces.stderr]).toEqual([
    2,
    expect.stringContaining('answers cannot be written into specs/w.test.yaml: write its tests'),
  ]);
  const closed = await lintel(folder, 'test', 'specs', '--record', '--url', 'b=http://127.0.0.1:9/mcp');
  expect([closed.code, closed.stdout]).toEqual([1, expect.stringContaining('calls b.turns, which gave no answer: ')]);
  const lonely = await lintel(folder, 'test', 'specs', '--allow-writes');
  expect([lonely.code, lonely.stderr]).toEqual([2, expect.stringContaining('need --record: add it')]);
});
