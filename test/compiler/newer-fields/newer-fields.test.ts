/** For a field that ToolHive has and Lintel does not support, the error says so, and does not suggest another field. */
import { expect, test } from 'vitest';
import { compiledYaml } from '../../support/compiled-yaml.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

const NEWER =
  'ToolHive 0.63 has this field, but this version of Lintel does not serve it: the field would have no effect. Remove it';

const gateway = (more = '', upstream = '') => `apiVersion: toolhive.stacklok.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: oidc, oidcConfigRef: { name: own, audience: eng } }
  authServerConfig:
    issuer: https://mcp.example.com
    upstreamProviders:
      - name: corp
        type: oidc
        oidcConfig:
          issuerUrl: https://login.example.com
          clientId: eng
${upstream}${more}`;

const UPSTREAM = '          caBundleRef: { configMapRef: { name: ca, key: ca.crt } }\n';

const registry = (auth = '', source = '') => `sources:
  - name: local
    file: { path: servers.json }
${source}registries:
  - name: main
    sources: [local]
auth:
  mode: anonymous
${auth}`;

/** For each unknown field: the place, the message up to the allowed fields, and the advice. */
function unknownIn(text: string): readonly (readonly unknown[])[] {
  return compiledYaml(text)
    .findings.diagnostics.filter(({ code }) => code === 'LNT1003')
    .map(({ pointer, severity, message, help, fix }) => [pointer, severity, message.split(';')[0], help ?? fix]);
}

test.each<[what: string, text: string, found: readonly unknown[]]>([
  [
    'the CA bundle of an upstream provider',
    gateway('', UPSTREAM),
    [
      '/spec/authServerConfig/upstreamProviders/0/oidcConfig/caBundleRef',
      'error',
      'unknown field "caBundleRef"',
      NEWER,
    ],
  ],
  [
    'the scopes of a registry',
    registry('  scopesSupported: [openid]\n'),
    ['/auth/scopesSupported', 'error', 'unknown field "scopesSupported"', NEWER],
  ],
  [
    'the format of a registry source',
    registry('', '    format: upstream\n'),
    ['/sources/0/format', 'error', 'unknown field "format"', NEWER],
  ],
])('lintel check says that this version does not serve a newer ToolHive field: %s', (_what, text, found) => {
  expect(unknownIn(text)).toEqual([found]);
});

test('lintel check says that an unknown field without a similar name may come from a newer ToolHive', () => {
  const help =
    'Correct the spelling or remove the field. If a ToolHive later than 0.63 has this field, this version of Lintel does not serve it';
  expect(unknownIn(gateway('  quantumTunnel: true\n'))).toEqual([
    ['/spec/quantumTunnel', 'error', 'unknown field "quantumTunnel"', help],
  ]);
  const own = gateway('  quantumTunnel: true\n').replace('toolhive.stacklok.dev', 'lintel.dev');
  expect(unknownIn(own).map(([, , , advice]) => advice)).toEqual(['Correct the spelling or remove the field']);
});

test('lintel check calls a misspelt ToolHive field misspelt', () => {
  expect(unknownIn(gateway('  embedingServerRef: { name: x }\n'))).toEqual([
    ['/spec/embedingServerRef', 'error', 'unknown field "embedingServerRef"', 'did you mean "embeddingServerRef"?'],
  ]);
});

test('lintel import lists a newer ToolHive field that it does not carry over, with the advice that lintel check gives', async () => {
  await using folder = await temporaryFolder({ 'old.yaml': gateway('', UPSTREAM) });
  const { code, stdout, stderr } = await runLintel(['import', 'old.yaml'], { cwd: folder.path });
  expect([code, stderr]).toEqual([
    1,
    'lintel: nothing was written: not everything can be carried over; --partial writes the rest\n',
  ]);
  expect(stdout).toContain('spec.authServerConfig.upstreamProviders.0.oidcConfig.caBundleRef  unknown field');
  expect(stdout).toContain(`. ${NEWER} (LNT1003)\n`);
});
