/** Each constraint that the schema of the configuration states. */
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { compileConfig, formatFindings } from './compiling.ts';

const CONFIG = `sources:
  - name: catalog
    file: { path: /servers.json }
registries:
  - name: main
    sources: [catalog]
auth:
  authz: { roles: { superAdmin: [{ role: admin }] } }
  oauth:
    resourceUrl: https://registry.example.com
    providers:
      - name: corp
        issuerUrl: https://login.example.com
        audience: registry
`;

type Tree = Record<string | number, unknown>;

/** The configuration with one value set; undefined removes it. */
function changed(path: string, value: unknown): string {
  const root = parse(CONFIG) as Tree;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let holder = root;
  for (const step of steps) {
    holder[step] ??= {};
    holder = holder[step] as Tree;
  }
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return stringify(root);
}

test('the sample registry configuration compiles without findings before it is changed', () => {
  expect(formatFindings(compileConfig(CONFIG))).toEqual([]);
});

const NO_AUTH =
  'add auth: { mode: anonymous } for a server that everybody may read, or auth.oauth with resourceUrl and providers: without an auth section the mode is oauth';

test.each<[path: string, value: unknown, expected: string]>([
  ['auth', undefined, `LNT1010 missing required field "auth", an object (${NO_AUTH})`],
  ['sources', undefined, 'LNT1010 missing required field "sources", a list'],
  ['registries', undefined, 'LNT1010 missing required field "registries", a list'],
  ['sources', [], 'LNT1013 expected at least 1 item, found 0'],
  ['registries', [], 'LNT1013 expected at least 1 item, found 0'],
  ['registries.0.sources', [], 'LNT1013 expected at least 1 item, found 0'],
  ['auth.oauth.providers', [], 'LNT1013 expected at least 1 item, found 0'],
  [
    'auth.mode',
    'Oauth',
    'LNT1011 expected one of "oauth", "anonymous", found the string "Oauth" (did you mean "oauth"?)',
  ],
  ['auth.mode', '', 'LNT1011 expected one of "oauth", "anonymous", found the string ""'],
  ['auth.oauth.resourceUrl', undefined, 'LNT1010 missing required field "resourceUrl", a string'],
  ['auth.oauth.providers', undefined, 'LNT1010 missing required field "providers", a list'],
  ['auth.oauth.providers.0.name', undefined, 'LNT1010 missing required field "name", a string'],
  ['auth.oauth.providers.0.issuerUrl', undefined, 'LNT1010 missing required field "issuerUrl", a string'],
  ['auth.oauth.providers.0.audience', undefined, 'LNT1010 missing required field "audience", a string'],
  ['auth.oauth.providers.0.audience', '', 'LNT1013 expected at least 1 character, found 0'],
  ['auth.oauth.providers.0.audience', ['registry'], 'LNT1004 expected a string, found a list of 1 item'],
  ['auth.oauth.providers.0.allowPrivateIP', 'true', 'LNT1004 expected true or false, found the string "true"'],
  ['auth.oauth.providers.0.clientSecretFile', 'secret', 'LNT1012'],
  ['auth.oauth.providers.0.caCertPath', 'ca.pem', 'LNT1012'],
  ['auth.oauth.providers.0.authTokenFile', './token', 'LNT1012'],
  ['auth.oauth.realm', 'a "b"', 'LNT1012'],
  ['auth.oauth.realm', 'a\nb', 'LNT1012'],
  ['auth.oauth.realm', '', 'LNT1013 expected at least 1 character, found 0'],
  ['auth.oauth.publicPaths', 'docs', 'LNT1004 expected a list, found a string'],
  ['auth.oauth.publicPaths', ['docs'], 'LNT1012'],
  [
    'auth.publicPaths',
    ['/docs'],
    'LNT1003 unknown field "publicPaths"; allowed here: mode, oauth, authz (write it as auth.oauth.publicPaths)',
  ],
  [
    'auth.authz.roles',
    { superadmin: [] },
    'LNT1003 unknown field "superadmin"; allowed here: superAdmin, manageSources, manageRegistries, manageEntries (did you mean "superAdmin"?)',
  ],
  ['registries.0.claims', { team: 5 }, 'LNT1004 expected a string or a list of strings, found the integer 5'],
  [
    'registries.0.claims',
    { team: ['a', 5] },
    'LNT1004 expected a string or a list of strings, found a list of 2 items',
  ],
  [
    'auth.authz.roles',
    { superAdmin: [{ role: { is: 'admin' } }] },
    'LNT1004 expected a string or a list of strings, found an object',
  ],
  ['sources.0.name', 'Catalog', 'LNT1012'],
  ['sources.0.name', 'a'.repeat(64), 'LNT1012'],
  ['registries.0.name', '../v1', 'LNT1012'],
  ['registries.0.name', 'a b', 'LNT1012'],
  ['registries.0.name', '..', 'LNT1012'],
  ['registries.0.sources', ['catalog', 'catalog'], 'LNT1015'],
  ['registries.1', { name: 'main', sources: ['catalog'] }, 'LNT1015'],
  ['sources.1', { name: 'catalog', file: { path: 'x' } }, 'LNT1015'],
  ['auth.oauth.providers.1', { name: 'corp', issuerUrl: 'https://b.example.com', audience: 'r' }, 'LNT1015'],
  ['sources.0.syncPolicy', {}, 'LNT1010 missing required field "interval", a string'],
  ['sources.0.syncPolicy', { interval: '5 minutes' }, 'LNT1012'],
  ['sources.0.syncPolicy', { interval: '-5m' }, 'LNT1012'],
  [
    'sources.0.type',
    'file',
    'LNT1003 unknown field "type"; allowed here: name, git, api, file, managed, kubernetes, syncPolicy, filter, claims',
  ],
  ['sources.0.file.data', '{}', 'LNT1003 unknown field "data"; allowed here: path, url, timeout'],
  [
    'sources.0',
    { name: 'catalog', git: { repository: 'x', auth: { username: 'u' } } },
    'LNT1010 missing required field "passwordFile", a string',
  ],
  ['telemetry.tracing', { sampling: 0 }, 'LNT1013'],
  ['audit.maxDataSize', 1_048_577, 'LNT1013'],
  [
    'insecure_url',
    true,
    'LNT1003 unknown field "insecure_url"; allowed here: registryName, sources, registries, auth, database, telemetry, audit (remove it and use https issuers)',
  ],
  ['registryName', 'Main', 'LNT1012'],
  [
    'regstries',
    [],
    'LNT1003 unknown field "regstries"; allowed here: registryName, sources, registries, auth, database, telemetry, audit (did you mean "registries"?)',
  ],
])('the compiler refuses a registry configuration with %s set to %j', (path, value, expected) => {
  const found = formatFindings(compileConfig(changed(path, value))).map(line => line.replace(/ \d+:\d+-\d+:\d+/, ''));
  expect(
    found.filter(line => line.startsWith(expected)),
    found.join('\n'),
  ).not.toEqual([]);
  expect(compileConfig(changed(path, value)).registries[0]?.bundle).toBeNull();
});

test('the finding about an unknown clientSecret key points to a line that does not contain the secret', () => {
  const text = CONFIG.replace('audience: registry', 'audience: registry\n        clientSecret: hunter2');
  const [found] = compileConfig(text).findings.diagnostics;
  expect(found).toMatchObject({ code: 'LNT1003', pointer: '/auth/oauth/providers/0/clientSecret' });
  expect(text.split('\n')[(found?.range.start.line ?? 0) - 1]).not.toContain('hunter2');
});
