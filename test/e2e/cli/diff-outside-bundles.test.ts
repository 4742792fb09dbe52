/** Changes that no bundle contains: `lintel diff` must not stay silent about them. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

const source = (url: string): string => `apiVersion: lintel.dev/v1beta1
kind: GatewaySource
metadata: { name: team }
spec: { url: "${url}", serviceAccountName: team }
`;

const server = (image: string): string => `apiVersion: toolhive.stacklok.dev/v1beta1
kind: MCPServer
metadata: { name: alone }
spec: { image: "${image}", transport: sse }
`;

const embedding = (image: string): string => `apiVersion: lintel.dev/v1beta1
kind: EmbeddingServer
metadata: { name: tei }
spec: { image: "${image}" }
`;

const DENIAL = 'denyPrivateBackends: true\n';

const LOCK = JSON.stringify({
  lockfileVersion: 1,
  backends: {
    'default/MCPServerEntry/github': {
      url: 'https://github.example.com/mcp',
      transport: 'streamable-http',
      protocolVersion: '2025-11-25',
      server: { name: 'github', version: '1.0.0' },
      tools: {},
    },
  },
});

type Files = Readonly<Record<string, string>>;

async function diff(before: Files, after: Files) {
  const inFolder = (name: string, files: Files) =>
    Object.fromEntries(
      Object.entries({ ...CLEAN, 'lintel.lock.json': LOCK, ...files }).map(([file, text]) => [`${name}/${file}`, text]),
    );
  await using folder = await temporaryFolder({ ...inFolder('before', before), ...inFolder('after', after) });
  const { code, stdout, stderr } = await runLintel(['diff', 'before', 'after', '--format', 'json'], {
    cwd: folder.path,
  });
  const { notCompared = [] } = JSON.parse(stdout) as { readonly notCompared?: readonly string[] };
  return { code, notCompared, stderr };
}

test('`lintel diff` finds no difference between equal folders', async () => {
  const files = { 'source.yaml': source('https://git.example.com/a.git'), 'lintel.yaml': DENIAL };
  expect(await diff(files, files)).toMatchObject({ code: 0, notCompared: [] });
});

test.each<[what: string, before: Files, after: Files, sentence: string]>([
  [
    'another repository of a source',
    { 'source.yaml': source('https://git.example.com/a.git') },
    { 'source.yaml': source('https://evil.example/a.git') },
    'GatewaySource default/team differs, and is not compared: no bundle contains it',
  ],
  [
    'a source that is new',
    {},
    { 'source.yaml': source('https://evil.example/a.git') },
    'GatewaySource default/team is new, and is not compared: no bundle contains it',
  ],
  [
    'another image of a server in no gateway',
    { 'server.yaml': server('alone:1') },
    { 'server.yaml': server('evil:1') },
    'MCPServer default/alone differs, and is not compared: no bundle contains it',
  ],
  [
    'an embedding server that is gone',
    { 'embedding.yaml': embedding('tei:1') },
    {},
    'EmbeddingServer default/tei is gone, and is not compared: no bundle contains it',
  ],
  [
    'private addresses that are not refused any more',
    { 'lintel.yaml': DENIAL },
    { 'lintel.yaml': 'failOn: error\n' },
    'denyPrivateBackends of the project differs, which no bundle contains: private addresses were refused, and are allowed now',
  ],
  [
    'an exception for a private address',
    { 'lintel.yaml': DENIAL },
    { 'lintel.yaml': `${DENIAL}privateBackends: [github.example.com]\n` },
    'denyPrivateBackends of the project differs, which no bundle contains: private addresses were refused, and are refused, except for github.example.com now',
  ],
])('`lintel diff` names %s, and exits with code 3', async (_, before, after, sentence) => {
  const found = await diff(before, after);
  expect(found).toMatchObject({ code: 3, notCompared: [sentence] });
  expect(found.stderr).toContain(`lintel: ${sentence}\n`);
});
