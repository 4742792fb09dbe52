import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tlsProblem } from '#schemas';

const root = join(import.meta.dirname, '../../..');
const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

test.each([undefined, '', '1', 'false', '00'])('%j leaves verification on, as Node reads it', value => {
  expect(tlsProblem({ [VARIABLE]: value })).toBeUndefined();
});

const GATEWAY = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools, namespace: ai }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: desk, namespace: ai }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: search, namespace: ai }
spec:
  remoteUrl: https://search.example.com/mcp
  transport: streamable-http
  groupRef: { name: tools }
`;

const specs = mkdtempSync(join(tmpdir(), 'lintel-tls-'));
writeFileSync(join(specs, 'gateway.yaml'), GATEWAY);
afterAll(() => rmSync(specs, { recursive: true }));

const REFUSING: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['lintel-runtime', ['runtime/main.ts', '--bundle', '/nowhere']],
  ['lintel-runtime list', ['runtime/main.ts', 'list']],
  ['lintel-controller', ['controller/main.ts', '--namespace', 'ai']],
  ['lintel serve', ['compiler/main.ts', 'serve', specs, '--no-config']],
  ['lintel dev', ['compiler/main.ts', 'dev', specs, '--no-config']],
  ['lintel lock', ['compiler/main.ts', 'lock', specs, '--no-config']],
];

/** The program with the given environment, as it starts from its sources. */
function start(args: readonly string[], value: string) {
  const env = { ...process.env, [VARIABLE]: value };
  return spawnSync(process.execPath, ['--conditions=lintel-source', ...args], { cwd: root, encoding: 'utf8', env });
}

test.each(REFUSING)('%s refuses to start without verification', (name, args) => {
  const { status, stderr } = start(args, '0');
  expect(stderr).toContain(`${name.split(' ')[0]}: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the verification of`);
  expect(status).toBe(2);
});

test('lintel check connects to nothing and goes on', () => {
  expect(start(['compiler/main.ts', 'check', specs, '--no-config'], '0').status).toBe(0);
});
