/** `lintel build` does not build the gateways to which a broken object belongs or may belong, lists them, and builds all other gateways. */
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { formatBlockedServers } from '../../../compiler/commands/format-blocked-servers.ts';
import { CLEAN, gateway } from '../../e2e/specs.ts';
import { runLintel } from '../../support/lintel.ts';

const GROUPS = Object.values(CLEAN).join('---\n');
const GOOD = `${GROUPS}---\n${gateway('good')}`;

const object = (kind: string, metadata: string, spec = '{}', apiVersion = 'lintel.dev/v1beta1'): string =>
  `${apiVersion === '' ? '' : `apiVersion: ${apiVersion}\n`}kind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

function compiled(broken: string) {
  const sources = readTexts([new SourceText('good.yaml', GOOD), new SourceText('broken.yaml', broken)]);
  return compile(sources, { purpose: 'build', origin: { compilerVersion: 'test', sourceRevision: null } });
}

const MEMBER = 'groupRef: { name: tools }';
const OTHER = 'groupRef: { name: other }';

test.each<[name: string, broken: string, isBuilt: boolean]>([
  ['a gateway with a bad name', gateway('Bad_Name'), true],
  ['a gateway in a bad namespace', object('VirtualMCPServer', '{ name: a, namespace: Bad_Name }'), true],
  ['a gateway without apiVersion', object('VirtualMCPServer', '{ name: a }', '{}', ''), true],
  [
    'a gateway of a version that does not exist',
    object('VirtualMCPServer', '{ name: a }', '{}', 'lintel.dev/v9'),
    true,
  ],
  [
    'a gateway of a group that does not exist',
    object('VirtualMCPServer', '{ name: a }', '{}', 'lintl.dev/v1beta1'),
    true,
  ],
  ['a member with a bad name', object('MCPServerEntry', '{ name: Bad_Name }', `{ ${MEMBER} }`), false],
  ['a member of another group with a bad name', object('MCPServerEntry', '{ name: Bad_Name }', `{ ${OTHER} }`), true],
  ['a workload with a bad name and no group', object('MCPServer', '{ name: Bad_Name }'), false],
  ['a member without apiVersion', object('MCPServer', '{ name: a }', `{ ${MEMBER} }`, ''), false],
  ['a member of another group without apiVersion', object('MCPServer', '{ name: a }', `{ ${OTHER} }`, ''), true],
  ['a member in a bad namespace', object('MCPServer', '{ name: a, namespace: Bad_Name }', `{ ${MEMBER} }`), false],
  ['a group with a bad name', object('MCPGroup', '{ name: Bad_Name }'), true],
  ['an object of an unknown kind in the namespace', object('MCPServr', '{ name: a }'), false],
  ['an object of an unknown kind in another namespace', object('MCPServr', '{ name: a, namespace: other }'), true],
  ['an object without a name', object('VirtualMCPServer', '{}'), false],
  ['an object without a kind', 'apiVersion: lintel.dev/v1beta1\nmetadata: { name: a }\n', false],
  ['a file that is no YAML', 'a: [\n', false],
])(
  'the compiler builds a correct gateway next to a broken object only if the error cannot concern the gateway: %s',
  (_, broken, isBuilt) => {
    const compilation = compiled(broken);
    const good = compilation.gateways.find(({ object: { name } }) => name === 'good');
    expect(compilation.hasErrors).toBe(true);
    expect(good?.bundle !== null).toBe(isBuilt);
    // A gateway that is not built because of an error elsewhere is listed with that error.
    expect(formatBlockedServers(compilation).includes('default/good')).toBe(!isBuilt);
  },
);

test.each<[broken: string, line: string]>([
  [
    object('MCPServerEntry', '{ name: Bad_Name }', `{ ${MEMBER} }`),
    'broken.yaml:3:19: LNT1019 keeps 2 servers from being written: default/eng, default/good (MCPServerEntry default/Bad_Name is or may be a part)\n',
  ],
  [
    'a: [\n',
    'broken.yaml:2:1: LNT1001 keeps 2 servers from being written: default/eng, default/good (what stands there may be a part of any server)\n',
  ],
])(
  'lintel build names the finding that keeps servers from being written, the servers and the reason (case %#)',
  (broken, line) => {
    expect(formatBlockedServers(compiled(broken))).toBe(line);
  },
);

test('lintel build does not list a gateway with an error of its own among the servers that a finding keeps from being written', () => {
  expect(formatBlockedServers(compiled(gateway('worse', '{ nonsense: 1 }')))).toBe('');
});

test('lintel build writes good gateways next to a gateway with an invalid name, and says that an object without a name blocks them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-held-back-'));
  try {
    const input = (text: string) => ({ input: text, cwd: folder });
    const bad = await runLintel(['build', '-', '--out', 'out'], input(`${GOOD}---\n${gateway('Bad_Name')}`));
    expect(bad.code).toBe(1);
    const index = JSON.parse(await readFile(join(folder, 'out', 'index.json'), 'utf8')) as {
      bundles: { name: string }[];
    };
    expect(index.bundles.map(({ name }) => name)).toEqual(['eng', 'good']);
    expect(bad.stderr).not.toContain('from being written');

    const lost = await runLintel(
      ['build', '-', '--out', 'none'],
      input(`${GOOD}---\n${object('VirtualMCPServer', '{}')}`),
    );
    expect(lost.code).toBe(1);
    expect(lost.stderr).toMatch(/LNT1019 keeps 2 servers from being written: default\/eng, default\/good \(/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
