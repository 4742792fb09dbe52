/** What a folder compiles to, without a worker thread. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTreeCompiler } from '../../../controller/compile/compile-tree.ts';
import type { CompileRequest } from '../../../controller/compile/index.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { gateway as gatewayObject, object } from '../../support/rule.ts';

const AUTH_REF =
  'outgoingAuth: { source: inline, default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: auth } } }\n';

function request(folder: TemporaryFolder, changes: Partial<CompileRequest> = {}): CompileRequest {
  return {
    key: 'team/source',
    folder: folder.path,
    path: '.',
    defaultNamespace: 'team',
    clusterTexts: new Map(),
    withExposure: false,
    ...changes,
  };
}

test('a compilation without findings gives gateways and objects, each with its namespace', async () => {
  await using folder = await temporaryFolder();
  await folder.write({
    'specs/eng.yaml': gatewayFile('eng'),
    'specs/ops.yaml': gatewayFile('ops', { namespace: 'ops' }),
    'specs/secret.yaml':
      'apiVersion: v1\nkind: Secret\nmetadata: { name: token }\nstringData: { token: value-of-it }\n',
    'specs/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: policies }\ndata: {}\n',
    'specs/job.yaml': 'apiVersion: batch/v1\nkind: Job\nmetadata: { name: other }\n',
    'specs/source.yaml': `apiVersion: lintel.dev/v1beta1\nkind: GatewaySource\nmetadata: { name: more }\nspec: { url: 'https://example.com/a.git' }\n`,
    'outside/bad.yaml': 'not: [closed',
  });
  const outcome = createTreeCompiler()(request(folder, { path: 'specs' }));
  expect(outcome.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(outcome.isGood).toBe(true);
  expect(outcome.units.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`)).toEqual([
    'gateway/ops/ops',
    'gateway/team/eng',
  ]);
  expect(outcome.units.every(({ digest }) => /^sha256:[0-9a-f]{64}$/.test(digest ?? ''))).toBe(true);
  const names = outcome.objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`);
  expect(names.filter(name => !/^(MCPGroup|MCPServerEntry|VirtualMCPServer)/.test(name))).toEqual([
    'ConfigMap/team/policies',
  ]);
  expect(names).toContain('VirtualMCPServer/team/eng');
  expect(outcome.origins?.['VirtualMCPServer/team/eng']).toEqual({ file: 'specs/eng.yaml', line: 14 });
  expect(outcome.ignored).toBe(1);
  expect(JSON.stringify(outcome)).not.toContain('value-of-it');
});

test('a finding has its file, line and column, and the gateway in the next file has no finding', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'a/eng.yaml': brokenGatewayFile('eng'), 'a/ops.yaml': gatewayFile('ops') });
  const { isGood, diagnostics, units, counts } = createTreeCompiler()(request(folder, { path: './a/' }));
  expect(isGood).toBe(false);
  expect(counts.errors).toBe(1);
  expect(diagnostics[0]).toMatchObject({
    code: 'LNT1003',
    severity: 'error',
    file: 'a/eng.yaml',
    line: 19,
    column: 3,
    object: 'VirtualMCPServer/team/eng',
  });
  const [eng, ops] = units;
  expect([eng?.digest, eng?.diagnostics[0]?.code]).toEqual([null, 'LNT1003']);
  expect(ops?.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test.each([
  ['a warning fails the compilation with failOn: warning', 'failOn: warning\nseverity: { LNT4001: warning }\n', false],
  ['without failOn it succeeds', 'severity: { LNT4001: warning }\n', true],
])('a compilation treats warnings as lintel.yaml says: %s', async (_, lintelYaml, isGood) => {
  await using folder = await temporaryFolder();
  await folder.write({
    'lintel.yaml': lintelYaml,
    'specs/eng.yaml': gatewayFile('eng').replaceAll('v1beta1', 'v1alpha1'),
  });
  const outcome = createTreeCompiler()(request(folder, { path: 'specs' }));
  expect(outcome.counts.warnings).toBeGreaterThan(0);
  expect(outcome.isGood).toBe(isGood);
});

test.each([
  ['a path that does not exist', {}, 'no-such', 'LNT1018', 'no-such'],
  ['a path outside of the checkout', {}, '../..', 'LNT1018', '../..'],
  ['a broken project file', { 'lintel.yaml': 'nonsense: 1\n' }, '.', 'LNT1003', 'lintel.yaml'],
  ['a binary file', { 'a.yaml': '\0' }, '.', 'LNT1018', 'a.yaml'],
])('a compilation of %s gives a finding instead of an exception', async (_, files, path, code, file) => {
  await using folder = await temporaryFolder();
  await folder.write({ 'group.yaml': gatewayFile('eng'), ...files });
  const { isGood, diagnostics } = createTreeCompiler()(request(folder, { path }));
  expect(isGood).toBe(false);
  expect(diagnostics[0]).toMatchObject({ code, file });
});

test('a source path that starts with a slash is relative to the checkout', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'specs/eng.yaml': gatewayFile('eng') });
  expect(createTreeCompiler()(request(folder, { path: '/specs' })).units).toHaveLength(1);
});

test('a compilation of an empty folder succeeds without gateways and objects', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'specs/README.md': '# none yet\n' });
  const outcome = createTreeCompiler()(request(folder, { path: 'specs' }));
  expect([outcome.isGood, outcome.units, outcome.objects]).toEqual([true, [], []]);
});

test('a compilation reports an object outside of the target namespace with its file and line', async () => {
  await using folder = await temporaryFolder();
  await folder.write({
    'eng.yaml': gatewayFile('eng'),
    'ops.yaml': 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata:\n  name: ops\n  namespace: kube-system\n',
  });
  const { isGood, diagnostics } = createTreeCompiler()(request(folder, { targetNamespace: 'team' }));
  expect(isGood).toBe(false);
  expect(diagnostics[0]).toMatchObject({ code: 'LNT1060', file: 'ops.yaml', line: 5, column: 14 });
});

test('a compilation uses objects of the cluster, and fails at errors only in the objects that a gateway uses', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng', { spec: AUTH_REF }) });
  const entry =
    'apiVersion: lintel.dev/v1beta1\nkind: MCPExternalAuthConfig\nmetadata: { name: auth }\nspec: { type: unauthenticated }\n';
  const name = 'cluster:MCPExternalAuthConfig/team/auth';
  const compile = createTreeCompiler();
  expect(compile(request(folder)).isGood).toBe(false);
  const known = compile(request(folder, { clusterTexts: new Map([[name, entry]]) }));
  expect(known.isGood).toBe(true);
  expect(known.objects.map(({ kind }) => kind)).not.toContain('MCPExternalAuthConfig');
  expect(known.units[0]?.backends).toMatchObject([{ name: 'eng-backend', authType: 'unauthenticated' }]);
  const unused = 'apiVersion: lintel.dev/v1beta1\nkind: MCPToolConfig\nmetadata: { name: x }\nspec: { nonsense: 1 }\n';
  const texts = new Map([
    [name, entry],
    ['cluster:MCPToolConfig/team/x', unused],
  ]);
  const beside = compile(request(folder, { clusterTexts: texts }));
  expect(beside.counts.errors).toBe(1);
  expect(beside.isGood).toBe(true);
  const broken = new Map([[name, entry.replace('unauthenticated', 'nonsense')]]);
  expect(compile(request(folder, { clusterTexts: broken })).isGood).toBe(false);
});

test('the controller reports TypeScript programs in a repository and never runs them', async () => {
  await using folder = await temporaryFolder();
  const program = "import { App } from 'cdk8s';\nthrow new Error('it ran');\n";
  await folder.write({
    'specs/eng.yaml': gatewayFile('eng'),
    'specs/main.ts': program,
    'specs/types.d.ts': program,
    'specs/node_modules/a/index.ts': program,
    'specs/deep/chart.mts': "const { Chart } = require('cdk8s');\n",
    'specs/other.ts': "import fs from 'node:fs';\n",
    'elsewhere/main.ts': program,
  });
  expect(createTreeCompiler()(request(folder, { path: 'specs' })).programs).toEqual(['deep/chart.mts', 'main.ts']);
});

test('a second compilation returns an unchanged gateway as the same object in memory', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng'), 'ops.yaml': gatewayFile('ops') });
  const compile = createTreeCompiler();
  const before = compile(request(folder, { withExposure: true }));
  await folder.write({ 'ops.yaml': gatewayFile('ops', { url: 'https://other.example.com/mcp' }) });
  const after = compile(request(folder, { withExposure: true }));
  expect(after.units.map((unit, index) => unit === before.units[index])).toEqual([true, false]);
  expect(after.objects.filter((object, index) => object !== before.objects[index])).toHaveLength(3);
  expect(after.digest).not.toBe(before.digest);
  expect(after.units[0]?.files.map(({ path }) => path)).toEqual(['exposure.json', 'bundle.json']);
  await rm(folder.file('ops.yaml'));
  expect(compile(request(folder, { withExposure: true })).units).toEqual([before.units[0]]);
});

test('the settings of a compilation decide separately whether it returns bundle.json and exposure.json', async () => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': gatewayFile('eng') });
  const compile = createTreeCompiler();
  const filesWith = (settings: object) => {
    const [unit] = compile(request(folder, settings)).units;
    expect(unit?.digest).toMatch(/^sha256:/);
    return unit?.files.map(({ path }) => path);
  };
  expect(filesWith({ withExposure: true, withBundleFiles: false })).toEqual(['exposure.json']);
  expect(filesWith({ withBundleFiles: false })).toEqual([]);
  expect(filesWith({})).toEqual(['bundle.json']);
});

test('a compiled gateway has the number of tools that callers reach, even if exposure.json is not requested', async () => {
  await using folder = await temporaryFolder();
  await cp(join(import.meta.dirname, '../../../examples/quickstart'), folder.path, { recursive: true });
  const { units } = createTreeCompiler()(request(folder, { defaultNamespace: 'default' }));
  const counts = units.flatMap(({ exposedTools = [] }) => exposedTools);
  expect(counts.map(({ callers }) => callers)).toContain('anonymous');
  expect(counts.every(({ tools }) => tools > 0)).toBe(true);
  expect(units.flatMap(({ files }) => files.map(({ path }) => path))).not.toContain('exposure.json');
});

test('the hash of an MCPTelemetryConfig changes with its spec and is the same for the same spec', async () => {
  await using folder = await temporaryFolder();
  const config = (endpoint: string) =>
    `apiVersion: lintel.dev/v1beta1\nkind: MCPTelemetryConfig\nmetadata: { name: otel }\nspec:\n  openTelemetry: { enabled: true, endpoint: '${endpoint}' }\n`;
  const spec = 'telemetryConfigRef: { name: otel }\n';
  const compile = createTreeCompiler();
  const hash = async (endpoint: string) => {
    await folder.write({ 'eng.yaml': gatewayFile('eng', { spec }), 'otel.yaml': config(endpoint) });
    return compile(request(folder)).units[0]?.configHashes.MCPTelemetryConfig;
  };
  const first = await hash('https://a.example.com:4318');
  expect(first).toMatch(/^sha256:/);
  expect(await hash('https://b.example.com:4318')).not.toBe(first);
  expect(await hash('https://a.example.com:4318')).toBe(first);
});

test('a backend at a loopback address gives LNT6020 for pods, and no finding for a folder', async () => {
  await using folder = await temporaryFolder();
  const gateway = `incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config: { backends: [{ name: notes, url: "http://127.0.0.1:4501", transport: streamable-http }] }`;
  await folder.write({
    'eng.yaml': `${object('MCPGroup', '{}', 'tools')}---\n${gatewayObject(gateway)}`,
  });
  const codes = (changes: Partial<CompileRequest>) =>
    createTreeCompiler()(request(folder, changes)).diagnostics.map(({ code }) => code);
  expect(codes({ manifests: {} })).toContain('LNT6020');
  expect(codes({})).not.toContain('LNT6020');
});

const PRIVATE = gatewayFile('eng', { url: 'http://10.0.0.1/mcp' }).replace(
  'transport:',
  'allowPrivateEndpoint: true\n  transport:',
);

test.each<[string, string, CompileRequest['denial'], readonly string[] | undefined]>([
  ['no setting denies private backends', '', undefined, []],
  ['lintel.yaml denies private backends', 'denyPrivateBackends: true\n', undefined, undefined],
  [
    'lintel.yaml has an exception for this backend',
    'denyPrivateBackends: true\nprivateBackends: [10.0.0.1]\n',
    undefined,
    ['10.0.0.1'],
  ],
  ['the controller denies private backends', '', { except: [] }, undefined],
  ['the controller has an exception for this backend', '', { except: ['10.0.0.1'] }, ['10.0.0.1']],
  [
    'an exception in lintel.yaml does not override the denial of the controller',
    'denyPrivateBackends: true\nprivateBackends: [10.0.0.1]\n',
    { except: [] },
    undefined,
  ],
])('a compilation denies a backend at a private address or not: %s', async (_, lintelYaml, denial, except) => {
  await using folder = await temporaryFolder();
  await folder.write({ 'eng.yaml': PRIVATE, ...(lintelYaml && { 'lintel.yaml': lintelYaml }) });
  const { units, diagnostics } = createTreeCompiler()(request(folder, { manifests: {}, denial }));
  const found = diagnostics.filter(({ code, message }) => code === 'LNT6010' && message.includes('are denied'));
  expect(found).toHaveLength(except === undefined ? 1 : 0);
  const pod = units[0]?.manifests.find(({ kind }) => kind === 'Deployment') as
    | { spec: { template: { spec: { containers: { args: string[] }[] } } } }
    | undefined;
  const args = pod?.spec.template.spec.containers[0]?.args;
  const flags = ['--deny-private-backends', ...(except ?? []).flatMap(host => ['--private-backend', host])];
  if (except === undefined) expect(args).toBeUndefined();
  else expect(args?.slice(args.indexOf('--internal-address') + 2)).toEqual(except.length === 0 ? [] : flags);
});
