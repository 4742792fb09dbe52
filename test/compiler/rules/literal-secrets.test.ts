import { expect, test } from 'vitest';
import { findings, gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'references only',
    [
      gatewayConfig(
        '{ outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, clientSecretEnv: E, clientSecret: "" } } } }',
      ),
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { X-Tenant: a } } }',
      ),
    ],
    [],
  ],
  [
    'literals in every kind of strategy',
    [
      gatewayConfig(`
    outgoingAuth:
      source: inline
      default:
        type: header_injection
        headerInjection:
          headerName: X-Key
          headerValue: hush
      backends:
        a: { type: token_exchange, tokenExchange: { tokenUrl: u, clientSecret: hush } }
        b: { type: obo, obo: { tokenUrl: u, clientSecret: hush } }
        c: { type: xaa, xaa: { idpTokenUrl: https://a, targetTokenUrl: u, targetAudience: a, idpClientSecret: hush, targetClientSecret: hush } }`),
    ],
    [
      'LNT6001 error 14:11 headerValue holds a secret in the clear',
      'LNT6001 error 16:66 clientSecret holds a secret in the clear',
      'LNT6001 error 17:45 clientSecret holds a secret in the clear',
      'LNT6001 error 18:94 idpClientSecret holds a secret in the clear',
      'LNT6001 error 18:117 targetClientSecret holds a secret in the clear',
    ],
  ],
  [
    'a literal in a strategy that the gateway ignores',
    [
      gateway(`incomingAuth: { type: anonymous }
  outgoingAuth: {}
  config: { outgoingAuth: { source: inline, default: { type: obo, obo: { tokenUrl: u, clientSecret: hush } } } }`),
    ],
    ['LNT6001 warning 8:87 clientSecret holds a secret in the clear'],
  ],
  [
    'literals in headers',
    [
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://a.example.com, transport: sse, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { Authorization: hush, x-api-key: hush, X-Auth-Token: hush } } }',
      ),
    ],
    [
      'LNT6001 warning 4:126 the header "Authorization" looks like a secret in the clear',
      'LNT6001 warning 4:147 the header "x-api-key" looks like a secret in the clear',
      'LNT6001 warning 4:164 the header "X-Auth-Token" looks like a secret in the clear',
    ],
  ],
  [
    'literals in variables and arguments of programs',
    [
      object(
        'MCPServer',
        `
  groupRef: { name: tools }
  transport: stdio
  command: server
  args: [--api-key=sesame-open, --token, sesame-open, --key, sk-0123456789abcdefghij, --password=$(PASSWORD), --max-tokens, "40000000"]
  env:
    - { name: GITHUB_TOKEN, value: sesame-open }
    - { name: DB_PASSWORD, value: hunter2-horse }
    - { name: HOST, value: "https://me:sesame@db.example.com" }
    - { name: TOKEN_URL, value: "https://login.example.com/token" }
    - { name: MAX_TOKENS, value: "400000000" }
    - { name: SECRET, value: /run/secrets/one }
    - { name: API_KEY, value: unset }`,
      ),
    ],
    [
      'LNT6001 warning 10:15 the variable "GITHUB_TOKEN" looks like a secret in the clear',
      'LNT6001 warning 11:15 the variable "DB_PASSWORD" looks like a secret in the clear',
      'LNT6001 warning 12:15 the variable "HOST" looks like a secret in the clear',
      'LNT6001 warning 8:10 argument 1 looks like a secret in the clear',
      'LNT6001 warning 8:42 argument 3 looks like a secret in the clear',
      'LNT6001 warning 8:62 argument 5 looks like a secret in the clear',
    ],
  ],
  [
    'literals in pod templates',
    [
      gateway(`incomingAuth: { type: anonymous }
  podTemplateSpec:
    spec:
      initContainers:
        - { name: fetch, image: fetch:1, args: [--password, sesame-open, --to, /data] }
      containers:
        - name: vmcp
          command: [sh, -c, "curl -H 'Authorization: Bearer 0123456789abcdef'"]
          env:
            - { name: HTTPS_PROXY, value: "http://me:sesame@proxy.example.com" }
            - { name: DB_PASSWORD, value: hunter2-horse }
            - { name: DB_TOKEN, valueFrom: { secretKeyRef: { name: db, key: token } } }
            - { name: LOG_LEVEL, value: debug-everything }`),
      object(
        'MCPRegistry',
        '{ configYAML: "{}", podTemplateSpec: { spec: { containers: [{ name: registry-api, env: [{ name: API_TOKEN, value: sesame-open }] }] } } }',
      ),
    ],
    [
      'LNT6001 warning 10:61 argument 2 looks like a secret in the clear',
      'LNT6001 warning 15:23 the variable "HTTPS_PROXY" looks like a secret in the clear',
      'LNT6001 warning 16:23 the variable "DB_PASSWORD" looks like a secret in the clear',
      'LNT6001 warning 13:29 argument 3 looks like a secret in the clear',
      'LNT6001 warning 23:103 the variable "API_TOKEN" looks like a secret in the clear',
    ],
  ],
  [
    'an invalid pod template',
    [
      gateway(
        'incomingAuth: { type: anonymous }\n  podTemplateSpec: { spec: { containers: { 0: { env: 1 } }, initContainers: [null] } }',
      ),
    ],
    [],
  ],
  [
    'literals in the query of URLs',
    [
      object(
        'MCPServerEntry',
        '{ remoteUrl: "https://a.example.com/mcp?api_key=sesame&v=2", transport: sse, groupRef: { name: tools } }',
      ),
      object(
        'MCPServer',
        '{ groupRef: { name: tools }, command: npx, args: [mcp-remote@0.1.0, "https://a.example.com/mcp?exaApiKey=sesame"] }',
      ),
      gatewayConfig('{ backends: [{ name: a, url: "https://a.example.com/mcp?token=sesame", transport: sse }] }'),
    ],
    [
      'LNT6025 warning 4:9 the parameter "api_key" of remoteUrl looks like a secret in the clear',
      'LNT6025 warning 9:75 the parameter "exaApiKey" of argument 2 looks like a secret in the clear',
      'LNT6025 warning 17:35 the parameter "token" of url looks like a secret in the clear',
    ],
  ],
  [
    'a description that looks like a token',
    [
      gatewayConfig(
        '{ compositeTools: [{ name: flow, description: "takes ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", steps: [{ id: a, tool: b }] }] }',
      ),
    ],
    [],
  ],
])('the rule literalSecrets gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('literalSecrets', ...objects)).toEqual(expected);
});

test.each([
  [
    'an MCPServerEntry',
    object(
      'MCPServerEntry',
      '{ remoteUrl: "https://a.example.com/?token=sesame", transport: sse, groupRef: { name: tools } }',
    ),
    'keep the value in a Secret, and send it in a header by headerForward.addHeadersFromSecret, if the server takes it there',
  ],
  [
    'a backend that the gateway lists',
    gatewayConfig('{ backends: [{ name: a, url: "https://a.example.com/?token=sesame", transport: sse }] }'),
    'keep the value in a Secret, and send it in a header by outgoingAuth, if the server takes it there',
  ],
])('the finding about a secret in the URL query of %s has the fitting fix', (_, text, fix) => {
  expect(findings('literalSecrets', text).map(found => found.fix)).toEqual([fix]);
});

test.each([
  ['of a program on the machine', 'transport: stdio, command: npx', true],
  ['of an image', 'transport: streamable-http, image: "tickets:1"', false],
])('the finding about a literal secret in a variable %s has the fitting fix', (_, server, isHere) => {
  const spec = `{ groupRef: { name: tools }, ${server}, env: [{ name: API_TOKEN, value: sesame-open-4711 }] }`;
  const [found] = findings('literalSecrets', object('MCPServer', spec));
  expect(found?.fix?.endsWith('; on your machine, write the value into .env: `lintel dev` names its variable')).toBe(
    isHere,
  );
});
