/** The commands with programs as sources: next to YAML, named in lintel.yaml, and watched by `lintel dev`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, ROOT, start } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';
import { project } from './project.ts';

type Json = { diagnostics: { code: string; range: { file: string; start: { line: number } } }[] };

const documentedProgram = async (): Promise<string> => {
  const page = await readFile(join(ROOT, 'docs/typescript.md'), 'utf8');
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  return program;
};

test('lintel checks, shows and builds the program of docs/typescript.md', async () => {
  await using folder = await project({ 'app.ts': await documentedProgram() });
  const lintel = (...args: string[]) => runLintel(args, { cwd: folder.path });
  const checked = await lintel('check', 'app.ts', '--format', 'json');
  expect(checked.stderr).toBe('');
  expect(checked.code).toBe(0);
  const shown = await lintel('exposure', 'app.ts', '--no-typecheck', '--format', 'json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ gateways: [{ namespace: 'mcp', name: 'eng-gateway' }] });
  expect(await lintel('build', 'app.ts', '--no-typecheck', '--out', 'one')).toMatchObject({ code: 0 });
  expect(await lintel('build', 'app.ts', '--no-typecheck', '--out', 'two')).toMatchObject({ code: 0 });
  const index = (out: string) => readFile(join(folder.path, out, 'index.json'), 'utf8');
  expect(await index('one')).toBe(await index('two'));
  // Without a tool lock it is unknown which tools the policies apply to.
  expect(await lintel('diff', 'one', 'app.ts', '--no-typecheck')).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(
      /^Bundles\n {2}mcp\/eng-gateway: sha256:\w+ → no bundle\n\nno difference in 1 gateway or registry server; not all could be compared\n$/,
    ),
  });
});

const program = (group: string) => `import { ApiObject, App, Chart } from 'cdk8s';
console.log('not in the way');
const chart = new Chart(new App(), 'eng');
new ApiObject(chart, 'gateway', {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'VirtualMCPServer',
  metadata: { name: 'eng' },
  spec: { groupRef: { name: '${group}' }, incomingAuth: { type: 'anonymous' } },
});
export default chart;
`;

test('`lintel check` checks a TypeScript program together with YAML, both as arguments and as sources of lintel.yaml', async () => {
  await using folder = await project({
    'app.ts': program('nope'),
    'specs/group.yaml': GROUP,
    'lintel.yaml': 'sources: [app.ts, specs/]\n',
  });
  for (const paths of [['app.ts', 'specs'], []]) {
    const { code, stdout } = await runLintel(['check', ...paths, '--no-typecheck', '--format', 'json'], {
      cwd: folder.path,
    });
    expect(code).toBe(1);
    const { diagnostics } = JSON.parse(stdout) as Json;
    expect(diagnostics.filter(({ code }) => code === 'LNT2001')).toMatchObject([
      { range: { file: 'app.ts', start: { line: 8 } } },
    ]);
  }
});

test('lintel.yaml configures how a TypeScript program runs, and options override it', async () => {
  await using folder = await project({
    'app.ts': `if (process.env.STAGE === 'loop') for (;;) {}\n${program('nope').replace("name: 'eng'", "name: 'eng-' + process.env.STAGE + '-' + process.env.REGION")}`,
    'lintel.yaml': 'sources: [app.ts]\nprograms: { timeout: 2s, memory: 512, env: [STAGE] }\n',
  });
  const check = async (env: { readonly [name: string]: string }, ...args: string[]) => {
    const options = { cwd: folder.path, env };
    const { stdout } = await runLintel(['check', '--no-typecheck', '--format', 'json', ...args], options);
    return stdout;
  };
  const env = { STAGE: 'prod', REGION: 'north' };
  expect(await check(env, '--synth-timeout', '50s')).toMatch(/"name": ?"eng-prod-undefined"/);
  expect(await check(env, '--synth-timeout', '50s', '--env', 'REGION')).toMatch(/"name": ?"eng-prod-north"/);
  expect(await check({ STAGE: 'loop' })).toContain('"the program was still running after 2 s"');
});

test('`lintel build` of a program with a type error builds no bundle', async () => {
  await using folder = await project({ 'app.ts': `${program('nope')}export const n: number = 'one';\n` });
  const { code, stderr } = await runLintel(['build', 'app.ts', '--out', 'out'], {
    cwd: folder.path,
  });
  expect(code).toBe(1);
  expect(stderr).toContain('error[LNT1072] type-error: Type ');
  expect(stderr).toContain('--> app.ts:11:14');
  expect(stderr).not.toContain('LNT2001');
});

test('`lintel dev` reacts to changes of the modules that a program imports', async () => {
  const backend = await startSdkServer({ transport: 'streamable-http' });
  await using folder = await project({
    'specs.yaml': `${GROUP}---\n${inlineGateway('eng', backend.url)}`,
    'app.ts': `import { ApiObject, App, Chart } from 'cdk8s';
import { group } from './lib/names.ts';
const chart = new Chart(new App(), 'more');
new ApiObject(chart, 'group', { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', metadata: { name: group } });
export default chart;
`,
    'lib/names.ts': `export const group = 'more';\n`,
  });
  const args = ['dev', 'app.ts', 'specs.yaml', '--no-typecheck', '--gateway', 'eng', ...FREE_PORTS];
  await using lintel = start(PROGRAM.lintel, args, { cwd: folder.path });
  await lintel.announcement<Announcement>();
  await folder.write({ 'lib/names.ts': `export const group: string = undefined!.nothing;\n` });
  await lintel.stderr.next(/error\[LNT1070\][^\n]*\n +--> lib\/names\.ts:1:/);
  await folder.write({ 'lib/names.ts': `export const group = 'others';\n` });
  await lintel.stderr.next(/lintel: compiled in/);
  await backend.close();
});

test('`lintel check` names a program in a subfolder of the project by the same path in every output format', async () => {
  await using folder = await project({ 'co/app.ts': program('tools'), 'specs.yaml': GROUP });
  const { stdout, stderr } = await runLintel(
    [
      'check',
      'co/app.ts',
      'specs.yaml',
      '--no-typecheck',
      '--format',
      'junit',
      '--output',
      'junit.xml',
      '--format',
      'pretty',
    ],
    { cwd: folder.path },
  );
  expect(`${stdout}${stderr}`).toContain('in 2 files');
  const suites = (await readFile(folder.file('junit.xml'), 'utf8')).match(/<testsuite name="[^"]*"/g);
  expect(suites).toEqual(['co/app.ts', 'specs.yaml'].map(name => `<testsuite name="${name}"`));
});
