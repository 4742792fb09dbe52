import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findTlsProblem } from '#schemas';
import { PROGRAM, run } from '../../support/process.ts';

const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

test.each([undefined, '', '1', 'false', '00'])(
  'NODE_TLS_REJECT_UNAUTHORIZED=%j leaves TLS verification on, as Node reads it',
  value => {
    expect(findTlsProblem({ [VARIABLE]: value })).toBeUndefined();
  },
);

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

const REFUSING: readonly (readonly [name: string, program: keyof typeof PROGRAM, args: readonly string[]])[] = [
  ['lintel-runtime', 'runtime', ['--bundle', '/nowhere']],
  ['lintel-runtime list', 'runtime', ['list']],
  ['lintel-controller', 'controller', ['--namespace', 'ai']],
  ['lintel serve', 'lintel', ['serve', specs, '--no-config']],
  ['lintel dev', 'lintel', ['dev', specs, '--no-config']],
  ['lintel lock', 'lintel', ['lock', specs, '--no-config']],
];

const startUnverified = (program: keyof typeof PROGRAM, args: readonly string[]) =>
  run(PROGRAM[program], args, { env: { [VARIABLE]: '0' } });

test.each(REFUSING)('%s refuses to start with NODE_TLS_REJECT_UNAUTHORIZED=0', async (name, program, args) => {
  const { code, stderr } = await startUnverified(program, args);
  expect(stderr).toContain(`${name.split(' ')[0]}: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the verification of`);
  expect(code).toBe(2);
});

test('`lintel check` runs with NODE_TLS_REJECT_UNAUTHORIZED=0, because it connects to no server', async () => {
  expect(await startUnverified('lintel', ['check', specs, '--no-config'])).toMatchObject({ code: 0 });
});
