/** `lintel export` from YAML to a program, and from a program to YAML. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { ProgramWorld } from '../../support/program-world.ts';
import { synthesize } from '../../support/synthesize.ts';

const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata: { name: key }\nstringData: { key: hunter2 }\n';
const SPECS = `${gatewayFile('eng')}---\n${SECRET}`;

test('`lintel export ts` writes a program, and replaces files only with --force', async () => {
  await using folder = await temporaryFolder({ 'specs/all.yaml': SPECS, 'specs/notes.yaml': 'a: 1\n' });
  const options = { cwd: folder.path };
  expect(await runLintel(['export', 'ts', 'specs', '--out', '.'], options)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'lintel: left out what is no Kubernetes object with a name: specs/notes.yaml\nlintel: wrote app.ts\n',
  });
  const text = await readFile(join(folder.path, 'app.ts'), 'utf8');
  expect(text).toContain("stringData: { key: 'hunter2' }");
  const again = await runLintel(['export', 'ts', 'specs', '--out', 'app.ts'], options);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('app.ts exists already: give another --out, or --force to replace it');
  const forced = await runLintel(['export', 'ts', 'specs', '--out', 'app.ts', '--force'], options);
  expect(forced.code).toBe(0);
  const printed = await runLintel(['export', 'ts', 'specs', '--out', '-'], options);
  expect(printed.stdout).toBe(text);
});

test('`lintel export` refuses specs with errors', async () => {
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayFile('eng', { spec: 'replicsa: 2\n' }) });
  const { code, stdout, stderr } = await runLintel(['export', 'ts', 'specs', '--out', 'app.ts'], {
    cwd: folder.path,
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('LNT1003');
  expect(stderr).toContain('nothing is exported: fix the errors first');
  expect(await readdir(folder.path)).toEqual(['specs']);
});

test('`lintel export ts` refuses a program as input, and `lintel export yaml` refuses YAML specs as input', async () => {
  await using folder = await temporaryFolder({ 'app.ts': '', 'specs.yaml': SPECS });
  const options = { cwd: folder.path };
  const twice = await runLintel(['export', 'ts', 'app.ts', '--out', '-'], options);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('app.ts is a program already')]);
  const yaml = await runLintel(['export', 'yaml', 'specs.yaml', '--out', '-'], options);
  expect([yaml.code, yaml.stderr]).toEqual([2, expect.stringContaining('give one program in TypeScript')]);
});

test('`lintel export yaml` writes the YAML of a program as cdk8s does', async () => {
  const program = `import { ApiObject, App, Chart } from 'cdk8s';
const app = new App();
for (const id of ['eng', 'ops']) {
  const chart = new Chart(app, id);
  const data = { octal: '0o17', yes: 'yes', lines: 'a\\n b\\n', long: 'word '.repeat(40) };
  for (const name of ['one', 'two']) new ApiObject(chart, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}
app.synth();
`;
  await using world = await ProgramWorld.with({ 'app.ts': program });
  const options = { cwd: world.folder };
  const written = await runLintel(['export', 'yaml', 'app.ts', '--out', 'out', '--no-typecheck'], options);
  expect(written).toMatchObject({ code: 0, stdout: '' });
  const files = synthesize(program);
  expect(files.map(({ file }) => file)).toEqual(['eng.k8s.yaml', 'ops.k8s.yaml']);
  expect((await readdir(join(world.folder, 'out'))).sort()).toEqual(files.map(({ file }) => file));
  for (const { file, text } of files) expect(await readFile(join(world.folder, 'out', file), 'utf8'), file).toBe(text);
  const streamed = await runLintel(['export', 'yaml', 'app.ts', '--out', '-', '--no-typecheck'], options);
  expect(streamed.stdout).toBe(files.map(({ text }) => text).join('---\n'));
});
