/** `lintel/cdk8s` and `lintel/testing` in projects of every module kind, and the constructs for another API group. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, run, temporaryFolder } from '../../support/process.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const PACKAGES = ['cdk8s', 'constructs', '@types', 'undici-types', 'yaml'];

/** Creates a project with only the packages of a cdk8s project and Lintel's own. */
async function project(files: { [path: string]: string }) {
  const folder = await temporaryFolder(files);
  await mkdir(folder.file('node_modules'), { recursive: true });
  for (const name of PACKAGES) await symlink(join(ROOT, 'node_modules', name), folder.file(`node_modules/${name}`));
  await mkdir(folder.file('node_modules/lintel'));
  for (const path of ['package.json', 'dist', 'schemas'])
    await symlink(join(ROOT, path), folder.file(`node_modules/lintel/${path}`));
  return folder;
}

/** A program with Lintel's constructs. Its `@ts-expect-error` is itself an error if the types were lost and everything is `any`. */
const USE = (from: string, apiVersion: string) => `import { Chart, Testing } from 'cdk8s';
import { MCPOIDCConfig, VirtualMCPServer } from '${from}';

const chart = new Chart(Testing.app(), 'eng');
new MCPOIDCConfig(chart, 'corp', { spec: { type: 'inline', inline: { issuer: 'https://id.example' } } });
// @ts-expect-error the type inline needs its block
new MCPOIDCConfig(new Chart(Testing.app(), 'bad'), 'corp', { spec: { type: 'inline' } });
new VirtualMCPServer(chart, 'eng', {
  spec: { groupRef: { name: 'eng' }, incomingAuth: { type: 'oidc', oidcConfigRef: { name: 'corp', audience: 'a' } } },
});
const withoutReference = () =>
  new VirtualMCPServer(chart, 'open', {
    // @ts-expect-error the type oidc needs its reference
    spec: { groupRef: { name: 'eng' }, incomingAuth: { type: 'oidc' } },
  });
void withoutReference;
const manifests: { apiVersion: string; kind: string }[] = Testing.synth(chart);
if (manifests.some(each => each.apiVersion !== '${apiVersion}')) throw new Error(JSON.stringify(manifests));
let refusal = '';
try {
  const wrong = new Chart(Testing.app(), 'wrong');
  new MCPOIDCConfig(wrong, 'corp', { spec: { type: 'inline', inlin: {} } } as never);
  Testing.synth(wrong);
} catch (error) {
  refusal = (error as Error).message;
}
if (refusal.indexOf('did you mean "inline"?') === -1) throw new Error(refusal);
`;

/** A program that tests a gateway with a policy, so that Cedar is loaded too. */
const TESTED = `
import { Backend, Caller, Gateway, Group, Incoming } from 'lintel/cdk8s';
import { compileExposure } from 'lintel/testing';

const specs = new Chart(Testing.app(), 'specs');
const team = new Group(specs, 'team');
const docs = Backend.entry(specs, 'docs', {
  group: team,
  remoteUrl: 'https://docs.example/mcp',
  transport: 'streamable-http',
});
new Gateway(specs, 'readers', { group: team, incoming: Incoming.anonymous() }).grant(Caller.any()).call(docs.tool('read'));
const anonymous = compileExposure(specs, { catalog: false }).anonymous();
let undecided = '';
try {
  anonymous.canCall('docs_read');
} catch (error) {
  undecided = (error as Error).message;
}
if (undecided.indexOf('lintel lock') === -1) throw new Error(undecided);
// @ts-expect-error tools have names
const refused = () => anonymous.canCall(1);
void refused;
`;

const BASE = {
  strict: true,
  noUnusedLocals: true,
  declaration: true,
  target: 'ES2017',
  types: ['node'],
  outDir: 'out',
  rootDir: '.',
  noEmitOnError: true,
};
const KINDS: readonly (readonly [what: string, type: string, options: object])[] = [
  ['ES modules', 'module', { module: 'nodenext' }],
  ['CommonJS of Node', 'commonjs', { module: 'node16' }],
  [
    'CommonJS with the old resolution, as cdk8s init makes it',
    'commonjs',
    { module: 'commonjs', moduleResolution: 'node', lib: ['es2016'], ignoreDeprecations: '6.0' },
  ],
  ['a bundler', 'module', { module: 'esnext', moduleResolution: 'bundler' }],
];

test.each(KINDS)(
  'a program type-checks and runs with lintel/cdk8s and lintel/testing: %s',
  async (_, type, options) => {
    await using folder = await project({
      'package.json': JSON.stringify({ type }),
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...BASE, ...options }, files: ['main.ts'] }),
      'main.ts': USE('lintel/cdk8s', 'lintel.dev/v1beta1') + TESTED,
    });
    expect(compile(folder.path)).toBe('');
    expect(execFileSync(process.execPath, [folder.file('out/main.js')], { encoding: 'utf8' })).toBe('');
  },
);

const LIBRARY = `const { Authorization, Caller, Conflicts, Gateway, Secret, Tools } = require('lintel/cdk8s');
class TeamGateway extends Gateway {
  constructor(scope, id, props) {
    super(scope, id, { conflicts: Conflicts.prefix(), authorization: Authorization.granted(), ...props });
    this.forbid(Caller.any()).call(Tools.destructive());
  }
}
exports.TeamGateway = TeamGateway;
exports.team = Caller.group('eng');
exports.password = Secret.key('redis', 'password');
`;
const LIBRARY_TYPES = `import { Caller, Gateway, SecretKey } from 'lintel/cdk8s';
export declare class TeamGateway extends Gateway {}
export declare const team: Caller;
export declare const password: SecretKey;
`;
const APP = `import { Chart, Testing } from 'cdk8s';
import { Backend, CaBundle, Caller, Conflicts, Group, Incoming, lockedBackend, Oidc, Sessions, Workflow } from 'lintel/cdk8s';
import { password, team, TeamGateway } from 'shared';

const chart = new Chart(Testing.app(), 'eng');
const group = new Group(chart, 'group', { name: 'eng' });
const locked = lockedBackend<{ read: { input: { id: string }; output: unknown } }>({
  key: 'default/MCPServerEntry/docs', name: 'docs', toolNames: ['read'],
});
const docs = Backend.entry(chart, 'docs', { group, remoteUrl: 'https://docs.example/mcp', transport: 'streamable-http', locked });
const gateway = new TeamGateway(chart, 'eng', {
  group,
  incoming: Oidc.inline(chart, 'corp', { issuer: 'https://id.example' }).forAudience('eng'),
  conflicts: Conflicts.prefix('{workload}.'),
  sessions: Sessions.redis({ address: 'redis:6379', password }),
});
const notes = gateway.addBackend(Backend.inline({ name: 'notes', url: 'http://notes:8080/mcp', transport: 'streamable-http' }));
const triage = new Workflow(gateway, 'triage', { description: 'Reads' });
triage.step('read', docs.tools.read, { id: '1' });
gateway.grant(team.or(Caller.subject('ann'))).call(docs.tools.read, notes.tool('x'), triage);
// @ts-expect-error certificates are no password
const refused = () => Sessions.redis({ address: 'redis:6379', password: CaBundle.configMap('ca') });
// @ts-expect-error a caller is made by Caller alone
const forged = () => gateway.grant({ test: { type: 'any' } });
void [refused, forged, Incoming];
const { spec } = Testing.synth(chart).find(({ kind }: { kind: string }) => kind === 'VirtualMCPServer');
const found = JSON.stringify([
  spec.config.backends.map(({ name }: { name: string }) => name),
  spec.config.aggregation.tools.map(({ workload }: { workload: string }) => workload),
  spec.sessionStorage.passwordRef,
]);
if (found !== '[["notes"],["docs","notes"],{"key":"password","name":"redis"}]') throw new Error(found);
`;

test('an ES module program can use constructs from a CommonJS library, although each loads its own copy of lintel/cdk8s', {
  timeout: 120_000,
}, async () => {
  await using folder = await project({
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...BASE, module: 'nodenext', declaration: false },
      files: ['main.ts'],
    }),
    'main.ts': APP,
    'node_modules/shared/package.json': '{ "name": "shared", "main": "index.js", "types": "index.d.ts" }',
    'node_modules/shared/index.js': LIBRARY,
    'node_modules/shared/index.d.ts': LIBRARY_TYPES,
  });
  expect(compile(folder.path)).toBe('');
  expect(execFileSync(process.execPath, [folder.file('out/main.js')], { encoding: 'utf8' })).toBe('');
});

test('lintel schema cdk8s writes one file that needs only cdk8s and constructs', async () => {
  const group = 'toolhive.stacklok.dev';
  await using folder = await project({
    'package.json': '{}',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...BASE, ...KINDS[2]?.[2], skipLibCheck: true },
      files: ['main.ts'],
    }),
    'main.ts': USE(`./imports/${group}`, `${group}/v1beta1`),
  });
  const written = await run(PROGRAM.lintel, ['schema', 'cdk8s', '--out', 'imports', '--group', group], {
    cwd: folder.path,
  });
  expect(written).toEqual({ code: 0, stdout: `imports/${group}.ts\n`, stderr: '' });
  const text = await readFile(folder.file(`imports/${group}.ts`), 'utf8');
  expect([...text.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from)).toEqual(['cdk8s', 'constructs']);
  expect(compile(folder.path)).toBe('');
  expect(execFileSync(process.execPath, [folder.file('out/main.js')], { encoding: 'utf8' })).toBe('');
});

test.each([
  [['cdk8s', '--group', 'Not A Group'], 'is no API group'],
  [['crd', '--group', 'a.example'], '--group is for cdk8s only'],
])('`lintel schema` refuses the arguments %s', async (args, message) => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await run(PROGRAM.lintel, ['schema', ...args, '--out', 'out'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

function compile(cwd: string): string {
  try {
    return execFileSync(process.execPath, [TSC, '-p', cwd], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
