/** A server that the cluster runs and that any caller may reach gets the same findings as such a gateway. */
import { describe, expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { createCatalog, type Offers } from '../../support/gateway-rule.ts';
import { object } from '../../support/rule.ts';

const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://login.example.com" } }', 'corp');
const KEY = object(
  'MCPExternalAuthConfig',
  '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: k } } }',
  'key',
);
const SIGN_IN = 'oidcConfigRef: { name: corp, audience: tickets }';
const inline = (policy: string) => `authzConfig: { type: inline, inline: { policies: ['${policy}'] } }`;
const inConfigMap = 'authzConfig: { type: configMap, configMap: { name: rules } }';
const configMap = (document: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: rules }\ndata: { authz.json: ${JSON.stringify(document)} }\n`;
const cedar = (...policies: string[]) => JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies } });
const ALL = 'permit(principal, action, resource);';

const server = (more = '') => object('MCPServer', `{ image: i, transport: sse${more && `, ${more}`} }`, 'tickets');
const proxy = (more = '') =>
  object('MCPRemoteProxy', `{ remoteUrl: "https://x.example.com/mcp"${more && `, ${more}`} }`, 'docs');

/** The findings, without those about objects that these sources do not contain, such as a Secret. */
function found(objects: readonly string[], offers?: Offers) {
  const catalog = offers && createCatalog(offers);
  const { findings } = compile(readTexts([new SourceText('spec.yaml', [CORP, KEY, ...objects].join('---\n'))]), {
    purpose: 'check',
    origin: { compilerVersion: 'test', sourceRevision: null },
    catalog,
  });
  return findings.diagnostics.filter(({ code }) => code !== 'LNT2004');
}

const lines = (objects: readonly string[], offers?: Offers) =>
  found(objects, offers)
    .map(({ code, severity, pointer, message }) => `${code} ${severity} ${pointer} ${message}`)
    .sort();

const OPEN = 'LNT4027 hint /spec/oidcConfigRef "tickets" has no oidcConfigRef: its callers need no token';

describe('open access of callers', () => {
  test.each<[title: string, objects: readonly string[], expected: readonly string[]]>([
    ['an MCPServer without tokens', [server()], [OPEN]],
    [
      "an MCPRemoteProxy without tokens that sends the gateway's credential",
      [proxy('externalAuthConfigRef: { name: key }')],
      [
        'LNT4027 hint /spec/oidcConfigRef "docs" has no oidcConfigRef: its callers need no token, and their calls carry the credential of externalAuthConfigRef',
      ],
    ],
    ['an MCPServer with tokens and policies', [server(`${SIGN_IN}, ${inline(ALL)}`)], []],
    [
      'an MCPServer with tokens and without policies',
      [server(SIGN_IN)],
      ['LNT4005 hint /spec/oidcConfigRef without authzConfig every authenticated caller may call every tool'],
    ],
    [
      'an MCPServer without tokens whose policies name a group',
      [server(inline('permit(principal in Group::"leads", action, resource);'))],
      [
        'LNT4006 warning /spec/authzConfig/inline/policies/0 policy0 permits nothing: it requires principal in Group::"leads", and no caller signs in: there is no oidcConfigRef',
        OPEN,
      ],
    ],
    [
      'servers that another operator runs',
      [
        server().replace('lintel.dev/', 'toolhive.stacklok.dev/'),
        proxy().replace('lintel.dev/', 'toolhive.stacklok.dev/'),
      ],
      [],
    ],
    ['a command on the machine', [object('MCPServer', '{ command: serve }')], [expect.stringContaining('LNT2013')]],
  ])('the compiler gives the expected findings about open access to a server: %s', (_, objects, expected) => {
    expect(lines(objects)).toEqual(expected);
  });
});

describe('open access with a tool lock', () => {
  // A server that restricts its callers has a key of its own, for gateways see less of it.
  const lock = (...tools: { name: string; annotations?: object }[]): Offers => ({
    'default/MCPServer/tickets': { tools },
    'default/MCPServer/tickets/tickets': { tools },
  });
  const READ = { name: 'list', annotations: { readOnlyHint: true } };
  const CLOSE = { name: 'close', annotations: { destructiveHint: true } };
  const WRITES =
    'LNT4001 warning /spec/oidcConfigRef anonymous callers reach 1 tool that is not read-only (1 destructive): "close"';

  test.each<[title: string, objects: readonly string[], offers: Offers, expected: readonly string[]]>([
    ['a server with a destructive tool', [server()], lock(READ, CLOSE), [WRITES]],
    ['a server with read-only tools', [server()], lock(READ), []],
    [
      'a server with tokens and a destructive tool',
      [server(`${SIGN_IN}, ${inline(ALL)}`)],
      lock(CLOSE),
      [expect.stringContaining('LNT5007')],
    ],
    [
      'a destructive tool that no policy permits',
      [server(inline('permit(principal, action, resource == Tool::"list");'))],
      lock(READ, CLOSE),
      [],
    ],
    [
      'a group member with a destructive tool',
      [object('MCPGroup', '{}', 'tools'), server('groupRef: { name: tools }')],
      lock(CLOSE),
      [WRITES.replace('warning', 'hint')],
    ],
    ['a server without tools in the lock', [server()], { 'default/MCPServer/other': { tools: [CLOSE] } }, [OPEN]],
  ])(
    'the compiler gives the expected findings about open access to a server whose tools are in the tool lock: %s',
    (_, objects, offers, expected) => {
      expect(lines(objects, offers)).toEqual(expected);
    },
  );

  test('the compiler reports open access to a gateway in the same words as open access to an MCPServer', () => {
    const entry = object(
      'MCPServerEntry',
      '{ groupRef: { name: tools }, remoteUrl: "https://x.example.com/mcp", transport: sse }',
      'e',
    );
    const gateway = object('VirtualMCPServer', '{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }');
    const objects = [object('MCPGroup', '{}', 'tools'), entry, gateway];
    const [said] = lines(objects, { 'default/MCPServerEntry/e': { tools: [CLOSE] } });
    expect(said).toBe(WRITES.replace('/spec/oidcConfigRef', '/spec/incomingAuth/type').replace('"close"', '"e_close"'));
  });

  test('the advice of the finding about an MCPServer without sign-in names oidcConfigRef, a field of MCPServer', () => {
    const [writes] = found([server()], lock(CLOSE));
    expect(writes?.help).toMatch(/^Name an MCPOIDCConfig in oidcConfigRef/);
  });
});

describe('policies of a server', () => {
  test.each<[title: string, objects: readonly string[], expected: readonly string[]]>([
    ['valid policies in a ConfigMap', [server(`${SIGN_IN}, ${inConfigMap}`), configMap(cedar(ALL))], []],
    [
      'policies in a ConfigMap that do not parse',
      [server(`${SIGN_IN}, ${inConfigMap}`), configMap(cedar('permit(principal'))],
      [expect.stringMatching(/^LNT5001 error \/data\/authz.json not a policy/)],
    ],
    [
      'a ConfigMap without policies',
      [server(`${SIGN_IN}, ${inConfigMap}`), configMap(cedar())],
      [
        'LNT5006 error /spec/authzConfig/configMap/name ConfigMap "rules", key "authz.json": cedar.policies: no policies',
      ],
    ],
    [
      'inline policies that do not parse',
      [server(`${SIGN_IN}, ${inline('permit(principal')}`)],
      [expect.stringMatching(/^LNT5001 error \/spec\/authzConfig\/inline\/policies\/0 not a policy/)],
    ],
    [
      'policies of another engine',
      [
        server(`${SIGN_IN}, authzConfigRef: { name: rules }`),
        object('MCPAuthzConfig', '{ type: other, config: {} }', 'rules'),
      ],
      [
        'LNT2003 error /spec/authzConfigRef/name MCPAuthzConfig "rules" is of type "other"; a gateway reads cedarv1 only',
      ],
    ],
  ])('the compiler checks the policies of an MCPServer: %s', (_, objects, expected) => {
    expect(lines(objects)).toEqual(expected);
  });

  test('the compiler checks the resource URL of an MCPServer', () => {
    const ref = 'oidcConfigRef: { name: corp, audience: tickets, resourceUrl: "https://mcp.example.com/#x" }';
    expect(lines([server(`${ref}, ${inline(ALL)}`)])).toEqual([
      'LNT6011 error /spec/oidcConfigRef/resourceUrl resourceUrl has a fragment',
    ]);
  });
});
