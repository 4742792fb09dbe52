import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../../support/golden.ts';
import { PROGRAM, ROOT, run, temporaryFolder } from '../../support/process.ts';
import { CLEAN, ENTRY, GROUP, gateway, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

const QUICKSTART = 'examples/quickstart';
const SPECS = `${QUICKSTART}/specs`;

function exposure(cwd: string, ...args: readonly string[]) {
  return run(PROGRAM.lintel, ['exposure', ...args], { cwd });
}

test('the quickstart, as the README shows it', async () => {
  const { code, stdout, stderr } = await exposure(ROOT, SPECS);
  expect([code, stderr]).toEqual([0, `lintel: using ${QUICKSTART}/lintel.lock.json\n`]);
  expectGolden(join(import.meta.dirname, 'exposure', 'quickstart'), new Map([['pretty.txt', stdout]]));
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, command = '', shown = ''] =
    /```sh\n(npx lintel exposure .*)\n```\n\n```console\n([^`]*)```/.exec(readme) ?? [];
  expect(command).toBe(`npx lintel exposure ${SPECS}`);
  const parts = shown.split('\n…\n').map(part => part.trim());
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(stdout).toContain(part);
});

test('the data goes to a file or to standard output, and nothing else does', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const printed = await exposure(folder.path, '.', '--format', 'json');
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  expect(JSON.parse(printed.stdout)).toMatchObject({
    formatVersion: 1,
    gateways: [{ namespace: 'default', name: 'eng', complete: false, tools: [] }],
  });
  const written = await exposure(folder.path, '.', '--format', 'json', '--output', 'out.json');
  expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readFile(folder.file('out.json'), 'utf8')).toBe(printed.stdout);
});

test.each([
  ['warnings are for check', WITH_WARNING],
  ['and so is what the runtime cannot do yet', WITH_UNSUPPORTED],
])('%s', async (_, files) => {
  await using folder = await temporaryFolder(files);
  const { code, stdout, stderr } = await exposure(folder.path, '.');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^default\/eng\n/);
});

test('a gateway with errors is missing, and is told of', async () => {
  await using folder = await temporaryFolder({ ...WITH_ERROR, 'good.yaml': gateway('good') });
  const { code, stdout, stderr } = await exposure(folder.path, '.');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^default\/good\n/);
  expect(stdout).not.toContain('default/eng');
  expect(stderr).toContain('error[LNT1011]');
  expect(stderr).toContain('lintel: default/eng is not shown: it has errors, so what it would expose is not known\n');
  const alone = await exposure(folder.path, '.', '--gateway', 'eng');
  expect([alone.code, alone.stdout]).toEqual([1, '']);
});

test('--gateway chooses one, by name or with its namespace', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'other.yaml': gateway('other') });
  const both = await exposure(folder.path, '.');
  expect(both.stdout.match(/^default\/.*/gm)).toEqual(['default/eng', 'default/other']);
  for (const name of ['other', 'default/other']) {
    const { code, stdout } = await exposure(folder.path, '.', '--gateway', name);
    expect([code, stdout.match(/^default\/.*/gm)]).toEqual([0, ['default/other']]);
  }
});

test.each([
  [
    'a gateway that is not there',
    CLEAN,
    ['--gateway', 'enk'],
    'lintel: no gateway is named "enk"; there are: default/eng\n',
  ],
  [
    'no gateway at all',
    { 'specs.yaml': `${GROUP}---\n${ENTRY}` },
    [],
    'lintel: the sources describe no VirtualMCPServer, so nothing is exposed\n',
  ],
  [
    'a catalog that is not there',
    CLEAN,
    ['--catalog', 'nope.json'],
    'lintel: no such tool catalog: nope.json; `lintel lock` writes it\n',
  ],
  [
    'an unknown format',
    CLEAN,
    ['--format', 'sarif'],
    "error: option '--format <format>' argument 'sarif' is invalid. Allowed choices are pretty, json, markdown.\n(try 'lintel exposure --help')\n",
  ],
])('%s is a mistake in the call', async (_, files, args, stderr) => {
  await using folder = await temporaryFolder(files);
  expect(await exposure(folder.path, '.', ...args)).toEqual({ code: 2, stdout: '', stderr });
});
