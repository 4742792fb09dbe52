/** A registry server's configuration as text inside an MCPRegistry gets the same findings as in a file, each at its place in that text. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compileConfig, formatFindings, getBundle } from './compiling.ts';

const CONFIG = `sources: [{ name: a, file: { path: /x } }]

registries: [{ name: main, sources: [a] }]
auth:
  mode: anonymous
`;

const around = (configYAML: string, more = '') => `apiVersion: lintel.dev/v1beta1
kind: MCPRegistry
metadata: { name: company, namespace: tools }
spec:
${more}  configYAML: ${configYAML}`;

const literal = (text: string, header = '|') => `${header}\n${text.replace(/^(?=.)/gm, '    ')}`;

test('an MCPRegistry gives the bundle of its configYAML, with the name and deployment settings of the MCPRegistry', () => {
  const more = `  displayName: Company
  volumes: [{ name: tokens, secret: { secretName: tokens } }]
  volumeMounts: [{ name: tokens, mountPath: /etc/tokens }]
  imagePullSecrets: [{ name: pull }]
`;
  const compiled = compileConfig(around(literal(CONFIG), more));
  expect(formatFindings(compiled)).toEqual([]);
  expect(compiled.registries[0]?.object.kind).toBe('MCPRegistry');
  expect(getBundle(compiled)).toEqual({
    ...getBundle(compileConfig(CONFIG)),
    namespace: 'tools',
    name: 'company',
    deployment: {
      displayName: 'Company',
      imagePullSecrets: [{ name: 'pull' }],
      podTemplateSpec: null,
      networkPolicy: true,
      volumes: [{ name: 'tokens', secret: { secretName: 'tokens' } }],
      volumeMounts: [{ name: 'tokens', mountPath: '/etc/tokens' }],
    },
  });
});

const WRONG = CONFIG.replace('mode:', 'moode:');
const MESSAGE = 'unknown field "moode"; allowed here: mode, oauth, authz (did you mean "mode"?)';

test.each([
  ['a literal block', around(literal(WRONG)), `LNT1003 10:7-10:12 ${MESSAGE}`],
  ['a literal block without its last line break', around(literal(WRONG, '|-')), `LNT1003 10:7-10:12 ${MESSAGE}`],
  ['Windows line breaks', around(literal(WRONG)).replaceAll('\n', '\r\n'), `LNT1003 10:7-10:12 ${MESSAGE}`],
  ['a quoted text', around(JSON.stringify(WRONG)), `LNT1003 5:3-5:13 ${MESSAGE}`],
])(
  'a finding in configYAML of an MCPRegistry, written as %s, points to the mistake in the text, or else to the field',
  (_, text, expected) => {
    const compiled = compileConfig(text);
    expect(formatFindings(compiled)).toContain(expected);
    expect(compiled.findings.diagnostics[0]).toMatchObject({
      pointer: '/spec/configYAML',
      object: { kind: 'MCPRegistry', namespace: 'tools', name: 'company' },
    });
    expect(compiled.registries[0]?.bundle).toBeNull();
  },
);

test.each([
  ['invalid YAML', literal('a: [\n'), /^LNT1001 7:\d+-\d+:\d+ /],
  ['a duplicate key', literal(`${CONFIG}auth: {}\n`), /^LNT1002 11:5-11:9 /],
  [
    'no mapping',
    'sources',
    /^LNT1004 5:3-5:13 configYAML must hold the configuration of a registry server, which is one mapping$/,
  ],
  ['two documents', literal(`${CONFIG}---\n${CONFIG}`), /^LNT1004 5:3-5:13 /],
])('the compiler reports configYAML with %s', (_, configYAML, expected) => {
  const compiled = compileConfig(around(configYAML));
  expect(formatFindings(compiled)[0]).toMatch(expected);
  expect(compiled.registries[0]?.bundle).toBeNull();
});

test('the compiler reports database settings of an MCPRegistry as without effect', () => {
  const more = '  pgpassSecretRef: { name: db, key: pgpass }\n';
  const secret =
    '---\napiVersion: v1\nkind: Secret\nmetadata: { name: db, namespace: tools }\nstringData: { pgpass: x }\n';
  const compiled = compileConfig(`${around(literal(CONFIG), more)}${secret}`);
  expect(formatFindings(compiled)).toEqual([
    'LNT1008 5:3-5:18 spec.pgpassSecretRef has no effect: this server keeps nothing in a database',
  ]);
});

test('the compiler reports a resourceUrl that names another Service than that of the MCPRegistry', () => {
  const config = (host: string) =>
    CONFIG.replace('  mode: anonymous\n', '') +
    stringify({
      authz: { roles: { superAdmin: [{ role: 'admin' }] } },
      oauth: {
        resourceUrl: `https://${host}`,
        providers: [{ name: 'a', issuerUrl: 'https://a.example.com', audience: 'r' }],
      },
    }).replace(/^(?=.)/gm, '  ');
  const lines = (host: string) => formatFindings(compileConfig(around(literal(config(host)))));
  expect(lines('company-api.tools.svc.cluster.local:8080')).toEqual([]);
  expect(lines('registry.tools.svc.cluster.local')).toEqual([
    'LNT8010 15:22-15:62 resourceUrl names another service than "company-api" in namespace "tools"',
  ]);
});

test('configYAML that exceeds a limit makes the check incomplete', () => {
  const compiled = compileConfig(around(JSON.stringify(`a: ${'['.repeat(5000)}`)));
  expect(compiled.checked.complete).toBe(false);
  expect(formatFindings(compiled)[0]).toMatch(/^LNT1017 5:3-5:13 /);
});
