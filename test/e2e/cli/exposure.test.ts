import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BundleIndex } from '#schemas';
import { expectGolden } from '../../support/golden.ts';
import { closed, listSchemaErrors, schemaAt } from '../../support/json-schema.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { CLEAN, ENTRY, GROUP, gateway, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

const QUICKSTART = 'examples/quickstart';
const SPECS = `${QUICKSTART}/specs`;

function exposure(cwd: string, ...args: readonly string[]) {
  return runLintel(['exposure', ...args], { cwd });
}

test('`lintel exposure` prints for the quickstart the report that docs/access.md shows', async () => {
  const { code, stdout, stderr } = await exposure(ROOT, SPECS);
  expect([code, stderr]).toEqual([0, `lintel: using ${QUICKSTART}/lintel.lock.json\n`]);
  expectGolden(join(import.meta.dirname, 'exposure', 'quickstart'), new Map([['pretty.txt', stdout]]));
  const page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
  const [, command = '', shown = ''] =
    /```sh\n(npx lintel exposure .*)\n```\n\n```console\n([^`]*)```/.exec(page) ?? [];
  expect(command).toBe(`npx lintel exposure ${SPECS}`);
  const parts = shown.split('\n…\n').map(part => part.trim());
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(stdout).toContain(part);
});

const REGISTRY = `sources: [{ name: a, file: { path: /data/a.json } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;

test('`lintel exposure` prints for the example registry server the report that its README shows', async () => {
  const { code, stdout, stderr } = await exposure(ROOT, 'examples/registry');
  expect([code, stderr]).toEqual([0, '']);
  expectGolden(join(import.meta.dirname, 'exposure', 'registry'), new Map([['pretty.txt', stdout]]));
  const readme = await readFile(join(ROOT, 'examples/registry/README.md'), 'utf8');
  const [, shown = ''] =
    /```sh\nnpx lintel exposure examples\/registry\n```\n\n```console\n([^`]*)```/.exec(readme) ?? [];
  const parts = shown.split('\n…\n').map(part => part.trim());
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(stdout).toContain(part);
});

test('`lintel build` writes the exposure.json of a registry server next to its bundle, with the same bytes each time', async () => {
  await using folder = await temporaryFolder({ 'company.yaml': REGISTRY });
  const texts: string[] = [];
  for (const out of ['one', 'two']) {
    await runLintel(['build', '.', '--out', out], { cwd: folder.path });
    const { bundles } = JSON.parse(await readFile(folder.file(`${out}/index.json`), 'utf8')) as BundleIndex;
    texts.push(await readFile(folder.file(`${out}/${bundles[0]?.path}/exposure.json`), 'utf8'));
  }
  expect(texts[1]).toBe(texts[0]);
  const printed = JSON.parse((await exposure(folder.path, '.', '--format', 'json')).stdout) as {
    registries: unknown[];
  };
  expect(printed).toEqual({ formatVersion: 1, gateways: [], registries: [JSON.parse(texts[0] ?? '')] });
});

test('`lintel exposure` shows all gateways and registry servers, or only those that --gateway and --registry name', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'company.yaml': REGISTRY });
  const titles = async (...args: readonly string[]) => {
    const { code, stdout } = await exposure(folder.path, '.', ...args);
    return [code, stdout.match(/^default\/.*/gm)];
  };
  expect(await titles()).toEqual([0, ['default/eng', 'default/company (registry server)']]);
  expect(await titles('--gateway', 'eng')).toEqual([0, ['default/eng']]);
  expect(await titles('--registry', 'default/company')).toEqual([0, ['default/company (registry server)']]);
  expect(await titles('--gateway', 'eng', '--registry', 'company')).toEqual(await titles());
});

test('the JSON of `lintel exposure` fits its schema, and has the number of entries that a registry server bundles', async () => {
  const { code, stdout } = await exposure(ROOT, 'examples/registry-local', '--format', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    registries: [{ sources: [{ name: 'team', type: 'bundled', from: 'servers.json', entries: 3, claims: null }] }],
  });
  const schema = closed(schemaAt('compiler/analysis/exposure/exposure.schema.json'));
  const report = {
    $defs: { all: { ...schema, $id: 'https://example.com/all' } },
    $ref: 'https://example.com/all#/$defs/report',
  };
  expect(listSchemaErrors(report, stdout)).toEqual([]);
});

test('`lintel exposure` leaves out a registry server with errors and says so', async () => {
  const broken = REGISTRY.replace('sources: [a]', 'sources: [b]');
  await using folder = await temporaryFolder({ 'good.yaml': REGISTRY, 'broken.yaml': broken });
  const { code, stdout, stderr } = await exposure(folder.path, '.');
  expect([code, stdout.match(/^default\/.*/gm)]).toEqual([1, ['default/good (registry server)']]);
  expect(stderr).toContain('error[LNT2001]');
  expect(stderr).toContain(
    'lintel: default/broken is not shown: it has errors, so what it would expose is not known\n',
  );
  expect(await exposure(folder.path, '.', '--registry', 'broken')).toMatchObject({ code: 1, stdout: '' });
});

test('`lintel exposure --format json` prints only the JSON, to standard output or to a file', async () => {
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
  ['warnings', WITH_WARNING],
  ['findings about unsupported fields', WITH_UNSUPPORTED],
])('`lintel exposure` prints no %s, which `lintel check` reports', async (_, files) => {
  await using folder = await temporaryFolder(files);
  const { code, stdout, stderr } = await exposure(folder.path, '.');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^default\/eng\n/);
});

test('`lintel exposure` leaves out a gateway with errors and says so', async () => {
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

test('`lintel exposure --gateway` chooses a gateway by its name or by namespace and name', async () => {
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
    'a gateway that does not exist',
    CLEAN,
    ['--gateway', 'enk'],
    'lintel: no gateway is named "enk"; did you mean eng?\n',
  ],
  [
    'specs without gateways and registry servers',
    { 'specs.yaml': `${GROUP}---\n${ENTRY}` },
    [],
    'lintel: the sources describe no VirtualMCPServer, no server of a cluster and no registry server, so nothing is exposed\n',
  ],
  [
    'a registry server that does not exist',
    { 'company.yaml': REGISTRY },
    ['--registry', 'compony'],
    'lintel: no registry server is named "compony"; did you mean company?\n',
  ],
  [
    'the name of a gateway in specs that only have registry servers',
    { 'company.yaml': REGISTRY },
    ['--gateway', 'eng'],
    'lintel: no gateway is named "eng"; there is none\n',
  ],
  [
    'a tool lock that does not exist',
    CLEAN,
    ['--catalog', 'nope.json'],
    'lintel: no such tool lock: nope.json; `lintel lock` writes it\n',
  ],
  [
    'an unknown format',
    CLEAN,
    ['--format', 'sarif'],
    "error: option '--format <format>' argument 'sarif' is invalid. Allowed choices are pretty, json, markdown, html.\n(try 'lintel exposure --help')\n",
  ],
])('`lintel exposure` exits with code 2 for %s', async (_, files, args, stderr) => {
  await using folder = await temporaryFolder(files);
  expect(await exposure(folder.path, '.', ...args)).toEqual({ code: 2, stdout: '', stderr });
});
