/** Bundles of registry servers: which are served, and the errors of the others. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { listBundleFiles, writeFiles } from '#compiler';
import { loadBundle } from '#runtime';
import { formatCanonicalJson, type RegistryBundle } from '#schemas';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { TEST_AUTHORITY } from '../../support/tls-fixture.ts';

/** A configuration with every setting; `DIR` is the folder of its files. */
const CONFIG = `
sources:
  - name: git
    git: { repository: "https://git.example.com/a.git", branch: main, auth: { username: u, passwordFile: DIR/password } }
    syncPolicy: { interval: 5m }
    filter: { names: { include: ["a/*"], exclude: ["a/b"] }, tags: { include: [x], exclude: [y] } }
    claims: { org: example }
  - { name: api, api: { endpoint: "https://registry.example.com" }, syncPolicy: { interval: 1h } }
  - { name: url, file: { url: "https://www.example.com/servers.json" }, syncPolicy: { interval: 1h } }
  - { name: file, file: { path: /srv/servers.json }, claims: { org: [example] } }
registries:
  - { name: all, sources: [git, api, url, file], claims: { org: example } }
  - { name: some, sources: [file] }
auth:
  oauth:
    resourceUrl: https://registry.example.com
    providers:
      - name: people
        issuerUrl: https://login.example.com
        audience: registry
        introspectionUrl: https://login.example.com/introspect
        clientId: registry
        clientSecretFile: DIR/secret
      - name: cluster
        issuerUrl: https://cluster.example.com
        jwksUrl: https://cluster.example.com/keys
        audience: registry
        caCertPath: DIR/ca.pem
        authTokenFile: DIR/token
  authz:
    roles: { superAdmin: [{ role: admin }], manageSources: [{ role: writer }, { org: [a, b], role: editor }] }
`;

const FILES = { password: 'p\n', secret: 's\n', token: 't\n', 'ca.pem': TEST_AUTHORITY };

function bundleIn(folder: TemporaryFolder): RegistryBundle {
  const text = CONFIG.replaceAll('DIR', folder.path);
  const compilation = compileConfig(text);
  return getBundle(compilation);
}

test('the registry server loads a complete bundle and knows its folder and its digest', async () => {
  await using folder = await temporaryFolder(FILES);
  const bundle = bundleIn(folder);
  const { files, index } = listBundleFiles([{ bundle }]);
  await writeFiles(folder.file('out'), files);
  const [entry] = index.bundles;
  const at = folder.file(`out/${entry?.path}`);
  expect(await loadBundle(folder.file('out'))).toEqual({
    bundle,
    digest: entry?.digest,
    file: `${at}/bundle.json`,
    folder: at,
  });
  expect(await readFile(`${at}/bundle.json`, 'utf8')).toBe(formatCanonicalJson(bundle));
});

test('the error about a registry bundle names each file that is missing or unusable, and what the file is for', async () => {
  await using folder = await temporaryFolder({ secret: '', 'ca.pem': 'no certificate' });
  const { path } = folder;
  await folder.write({ 'bundle.json': formatCanonicalJson(bundleIn(folder)) });
  await expect(loadBundle(path)).rejects.toMatchObject({
    name: 'BundleError',
    message: [
      `${path}/bundle.json: the certificate authorities in ${path}/ca.pem cannot be used: the file holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----`,
      `the password for a source is missing: file ${path}/password cannot be read (ENOENT)`,
      `the client secret of an identity provider is missing: file ${path}/secret is empty`,
      `the token for an identity provider or a source is missing: file ${path}/token cannot be read (ENOENT)`,
    ].join('; '),
  });
});

test('the file with certificate authorities that a registry bundle names may be larger than a secret file', async () => {
  await using folder = await temporaryFolder({ ...FILES, 'ca.pem': TEST_AUTHORITY.repeat(100) });
  await folder.write({ 'bundle.json': formatCanonicalJson(bundleIn(folder)) });
  expect(await loadBundle(folder.path)).toMatchObject({ folder: folder.path });
});

// biome-ignore lint/suspicious/noExplicitAny: the point is to break the types
type Change = (bundle: any) => void;

const RULES = '"authorization.roles" has 2 rules, and "authorization.ruleCount" is 3';

test.each<[name: string, change: Change, problem: string]>([
  ['a relative public path', b => (b.publicPaths = ['open']), '"publicPaths[0]" is not an absolute path'],
  ['fewer authorization rules than announced', b => b.authorization.roles.manageSources.pop(), RULES],
  ['claims without roles', b => delete b.authorization.roles, '"authorization.roles" is missing'],
  ['no providers', b => (b.auth.providers = []), '"auth.providers" is empty'],
  [
    'authorization and anonymous callers',
    b => (b.auth = { mode: 'anonymous' }),
    '"authorization" distinguishes callers, but "auth" identifies no caller',
  ],
  [
    'required tokens that authorization does not use',
    b => (b.authorization = { type: 'none' }),
    '"auth" requires a token, but "authorization" does not use it',
  ],
  ['a source that does not exist', b => b.sources.pop(), '"registries[0]" shows a source "file" that does not exist'],
  [
    'a registry that does not exist',
    b => b.registries.pop(),
    '"routes[12]" shows a registry "some" that does not exist',
  ],
  ['a source twice', b => b.sources.push(b.sources[0]), '"sources" has two items with the name "git"'],
  ['a registry twice', b => b.registries.push(b.registries[0]), '"registries" has two items with the name "all"'],
  [
    'bundled entries outside of its folder',
    b => (b.sources[0].from = { type: 'bundled', entries: { path: '../x', digest: '', count: 1, origin: 'x' } }),
    '"sources[0].from.entries.path" is not a path below the bundle',
  ],
  [
    'a source of an unknown type',
    b => (b.sources[0].from.type = 'ftp'),
    '"sources[0].from.type" is none of git, api, url, file, bundled',
  ],
])('the registry server refuses a bundle with %s, and the error names the field', async (_, change, problem) => {
  await using folder = await temporaryFolder(FILES);
  const bundle = structuredClone(bundleIn(folder));
  change(bundle);
  await folder.write({ 'bundle.json': JSON.stringify(bundle) });
  await expect(loadBundle(folder.path)).rejects.toMatchObject({
    name: 'BundleError',
    message: `${folder.file('bundle.json')}: is not a complete bundle: ${problem}; build it again`,
  });
});

test('the registry server refuses a bundle that requires an unknown feature, and the error names the feature', async () => {
  await using folder = await temporaryFolder(FILES);
  await folder.write({
    'bundle.json': formatCanonicalJson({ ...bundleIn(folder), requires: ['registry', 'registry-votes'] }),
  });
  await expect(loadBundle(folder.path)).rejects.toThrow(
    'it requires registry-votes, which this runtime does not have; upgrade the runtime',
  );
});

/** Members that no runtime reads, and optional ones. */
const FREE = /^(deployment: another type|auth\.resourceMetadata\.document\.resource_documentation: missing):/;

test('the registry server refuses a bundle in which any required field is missing or any field has another type', async () => {
  await using folder = await temporaryFolder(FILES);
  const bundle = bundleIn(folder);
  const unnoticed: string[] = [];
  for (const path of leavesOf(bundle)) {
    for (const change of ['another type', 'missing'] as const) {
      const broken = structuredClone(bundle);
      if (!spoil(broken, path, change)) continue;
      await folder.write({ 'bundle.json': JSON.stringify(broken) });
      const outcome = await loadBundle(folder.path).then(
        () => 'loaded',
        error => (error as Error).name,
      );
      if (outcome !== 'BundleError') unnoticed.push(`${path.join('.')}: ${change}: ${outcome}`);
    }
  }
  expect(unnoticed.filter(line => !FREE.test(line))).toEqual([]);
});

type Path = readonly (string | number)[];

function leavesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return members.flatMap(([member, inner]) => leavesOf(inner, [...at, member]));
}

/** False where a leaf cannot be damaged like this: an item of a list may be removed. */
function spoil(bundle: RegistryBundle, path: Path, change: 'another type' | 'missing'): boolean {
  // biome-ignore lint/suspicious/noExplicitAny: any leaf of a bundle
  const holder = path.slice(0, -1).reduce<any>((value, member) => value[member], bundle);
  const member = path.at(-1) as string | number;
  if (change === 'another type') holder[member] = { of: 'another type' };
  else if (Array.isArray(holder)) return false;
  else delete holder[member];
  return true;
}
