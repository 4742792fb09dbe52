/** Invalid certificates that specs trust are reported at their place, and no bundle that trusts them is built. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { object } from '../../support/rule.ts';
import { EXPIRED_AUTHORITY, ISSUED_CERTIFICATE, ISSUED_KEY, TEST_AUTHORITY } from '../../support/tls-fixture.ts';

const compiled = (text: string) =>
  compile(readTexts([new SourceText('specs.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });

const GROUP = object('MCPGroup', '{}', 'tools');
const ENTRY = "remoteUrl: 'https://mcp.example.com', transport: streamable-http, groupRef: { name: tools }";
const REF = 'caBundleRef: { configMapRef: { name: corp, key: ca.crt } }';
const MOUNTED = '/etc/lintel/ca-bundles/corp/ca.crt';

const entryOf = (more = '') => object('MCPServerEntry', `{ ${ENTRY}${more} }`);
const findGateway = (fields: string) => object('VirtualMCPServer', `{ groupRef: { name: tools }, ${fields} }`);
const ANONYMOUS = 'incomingAuth: { type: anonymous }';

/** Every object that trusts a ConfigMap. */
const TRUSTING: { readonly [what: string]: string } = {
  'a backend': [GROUP, entryOf(`, ${REF}`), findGateway(ANONYMOUS)].join('---\n'),
  'an identity provider': [
    GROUP,
    entryOf(),
    object('MCPOIDCConfig', `{ type: inline, inline: { issuer: 'https://id.example.com', ${REF} } }`, 'corp'),
    findGateway("incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: 'https://mcp.example.com' } }"),
  ].join('---\n'),
  'a backend that the gateway lists': [
    GROUP,
    findGateway(
      `${ANONYMOUS}, outgoingAuth: { source: inline }, config: { backends: [{ name: crm, type: entry, transport: sse, url: 'https://crm.example.com', caBundlePath: ${MOUNTED} }] }`,
    ),
  ].join('---\n'),
  'an identity provider in spec.config': [
    GROUP,
    entryOf(),
    findGateway(
      `config: { incomingAuth: { type: oidc, oidc: { issuer: 'https://id.example.com', clientId: c, audience: a, caBundlePath: ${MOUNTED} } } }`,
    ),
  ].join('---\n'),
  'a registry server': object(
    'MCPRegistry',
    `
  configYAML: |
    sources: [{ name: a, file: { path: /data/x.json }, syncPolicy: { interval: 1h } }]
    registries: [{ name: main, sources: [a] }]
    auth:
      mode: oauth
      oauth:
        resourceUrl: https://registry.example.com
        providers: [{ name: corp, issuerUrl: 'https://id.example.com', audience: a, caCertPath: ${MOUNTED} }]
      authz: { roles: { superAdmin: [{ role: admin }] } }`,
  ),
};

const CASES: { readonly [what: string]: readonly [pem: string, finding: string | undefined] } = {
  'a valid CA certificate': [TEST_AUTHORITY, undefined],
  nothing: ['', 'LNT2011 error is empty'],
  'other text': ['hello', 'LNT2011 error holds no PEM certificate'],
  'a broken certificate': [
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    'LNT2011 error holds a certificate that is broken',
  ],
  'a private key': [TEST_AUTHORITY + ISSUED_KEY, 'LNT2011 error holds a private key'],
  'a server certificate': [ISSUED_CERTIFICATE, 'LNT2011 error holds no certificate of an authority'],
  'an expired CA certificate': [
    EXPIRED_AUTHORITY,
    'LNT2012 warning holds a certificate that has expired on 2021-01-01',
  ],
};

for (const [what, specs] of Object.entries(TRUSTING)) {
  test.each(Object.entries(CASES))(
    `the compiler accepts a CA bundle of ${what} with %s, or gives the expected finding`,
    (_, [pem, expected]) => {
      const configMap = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: corp }\ndata:\n  ca.crt: ${JSON.stringify(pem)}\n`;
      const { findings, gateways, registries } = compiled(`${configMap}---\n${specs}`);
      const found = findings.diagnostics.filter(({ code }) => ['LNT2005', 'LNT2011', 'LNT2012'].includes(code));
      const start = 'key "ca.crt" of ConfigMap "corp", whose certificates are trusted, ';
      expect(
        found.map(({ code, severity, message, range, object: { kind } = { kind: '' } }) => [
          `${code} ${severity} ${message.replace(start, '')}`.slice(0, expected?.length),
          kind,
          range.start.line,
        ]),
      ).toEqual(expected === undefined ? [] : [[expected, 'ConfigMap', 5]]);
      const [built] = [...gateways, ...registries];
      expect(built?.bundle === null).toBe(expected?.startsWith('LNT2011') === true);
      for (const { message } of found) expect(message).not.toMatch(/MII|MIG|hello/);
    },
  );
}
