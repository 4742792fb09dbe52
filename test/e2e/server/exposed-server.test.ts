/** The address that a server has of its own in a cluster is in no gateway: `exposure` and `diff` say who reaches it all the same. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

const specs = (policy: string, transport = 'streamable-http') => `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: idp, namespace: mcp }
spec: { type: inline, inline: { issuer: "https://idp.example.com" } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: tickets, namespace: mcp }
spec:
  image: ghcr.io/example/tickets:1
  transport: ${transport}
  oidcConfigRef: { name: idp, audience: tickets }
  authzConfig: { type: inline, inline: { policies: ['${policy}'] } }
`;

const STAFF = 'permit(principal in Group::"staff", action, resource);';
const ALL = 'permit(principal, action, resource);';

test('exposure shows who gets in and what its policies permit', async () => {
  await using folder = await temporaryFolder({ 'specs.yaml': specs(STAFF) });
  const { code, stdout } = await runLintel(['exposure', 'specs.yaml'], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toContain('mcp/MCPServer/tickets');
  expect(stdout).toContain('callers with a token of https://idp.example.com for tickets');
});

test.each([
  ['a policy that permits more', specs(ALL), 'mcp/MCPServer/tickets: wider'],
  ['no authentication any more', specs(STAFF).replace(/ {2}oidcConfigRef.*\n {2}authz.*\n/, ''), 'wider'],
  ['the server is gone', specs(STAFF).split('---')[0] ?? '', 'mcp/MCPServer/tickets'],
])('diff of a server: %s', async (_, after, said) => {
  await using folder = await temporaryFolder({
    'before.yaml': `${specs(STAFF)}---\n${GATEWAY}`,
    'after.yaml': `${after}---\n${GATEWAY}`,
  });
  const { code, stdout } = await runLintel(['diff', 'before.yaml', 'after.yaml'], { cwd: folder.path });
  expect(stdout).toContain(said);
  expect(code).toBeGreaterThan(0);
});

test('diff does not compare a server that has errors, and says so', async () => {
  await using folder = await temporaryFolder({
    'before.yaml': specs(STAFF),
    'after.yaml': specs(STAFF, 'carrier-pigeon'),
  });
  const { code, stderr } = await runLintel(['diff', 'before.yaml', 'after.yaml'], { cwd: folder.path });
  expect(stderr).toContain('mcp/MCPServer/tickets is not compared');
  expect(code).toBe(3);
});

test('diff of two builds, which have no bundle of a server, does not pass over it', async () => {
  await using folder = await temporaryFolder({
    'a/specs.yaml': `${specs(STAFF)}---\n${GATEWAY}`,
    'b/specs.yaml': `${specs(ALL)}---\n${GATEWAY}`,
  });
  for (const side of ['a', 'b']) {
    await runLintel(['build', `${side}/specs.yaml`, '--out', `${side}/out`], { cwd: folder.path });
  }
  const { code, stderr } = await runLintel(['diff', 'a/out', 'b/out'], { cwd: folder.path });
  expect(stderr).toContain('mcp/MCPServer/tickets is not compared');
  expect(code).toBe(3);
});

const GATEWAY = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools, namespace: mcp }
spec: { description: Tools. }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng, namespace: mcp }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
`;
