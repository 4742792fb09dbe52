import { readFile, rm, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { gatewayOver, LOCK, lock, offering } from './peers.ts';

const TYPES = 'lintel.lock.ts';
const edit = (argument: string) => ({
  name: 'edit',
  inputSchema: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
});

test('`lintel lock --types` writes types next to the tool lock, and `lintel lock` then updates and checks them, also offline', async () => {
  let argument = 'page';
  const server = await startRawServer(offering(() => [edit(argument)]));
  await using _ = { [Symbol.asyncDispose]: () => server.close() };
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
  });
  const text = () => readFile(folder.file(TYPES), 'utf8');

  expect((await lock(folder, [])).stderr).toBe(`lintel: wrote ${LOCK}\n`);
  expect((await lock(folder, ['--types', '--check'])).code).toBe(1);
  const first = await lock(folder, ['--types']);
  expect([first.code, first.stderr]).toEqual([0, `lintel: ${LOCK} is up to date\nlintel: wrote ${TYPES}\n`]);
  expect(await text()).toContain('readonly page: string;');

  argument = 'title';
  const stale = await lock(folder, ['--check']);
  expect([stale.code, stale.stderr]).toEqual([
    1,
    `lintel: ${LOCK} differs from what the backends offer: run \`lintel lock\`\nlintel: ${TYPES} is up to date\n`,
  ]);
  expect((await lock(folder, [])).stderr).toBe(`lintel: wrote ${LOCK}\nlintel: wrote ${TYPES}\n`);
  expect(await text()).toContain('readonly title: string;');

  await server.close();
  await rm(folder.file(TYPES));
  const offline = (args: readonly string[]) => runLintel(['lock', '--offline', ...args], { cwd: folder.path });
  expect(await offline(['--check'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `lintel: ${TYPES} differs from the tool lock: run \`lintel lock --types\`\n`,
  });
  expect(await offline([])).toEqual({ code: 0, stdout: '', stderr: `lintel: wrote ${TYPES}\n` });
  expect((await offline(['--check'])).code).toBe(0);
  expect((await offline(['--types', 'other.mts'])).stderr).toBe('lintel: wrote other.mts\n');
  expect(await readFile(folder.file('other.mts'), 'utf8')).toBe(await text());
});

test.each([
  ['a missing path after --types', ['--types', 'spec.yaml'], 'no such file or folder: spec.yaml'],
  ['--offline without a tool lock', ['--offline'], `no such tool lock: ${LOCK}; \`lintel lock\` writes it`],
])('`lintel lock` exits with code 2 for %s', async (_, args, message) => {
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([]) });
  const { code, stderr } = await runLintel(['lock', ...args], { cwd: folder.path });
  expect([code, stderr.split('\n')[0]]).toEqual([2, `lintel: ${message}`]);
});

test.each([
  [['--types', 'specs/all.yaml']],
  [['--types', 'specs']],
  [['--types', 'specs/all.yaml', 'more.yaml']],
  [['specs', '--types']],
  [['--types', '--', 'specs']],
])('`lintel lock --types` takes a following word that is not a .ts file as a path of specs: %j', async args => {
  const server = await startRawServer(offering(() => [edit('page')]));
  await using _ = { [Symbol.asyncDispose]: () => server.close() };
  await using folder = await temporaryFolder({
    'specs/all.yaml': gatewayOver([{ name: 'web', url: `${server.origin}/mcp` }]),
    'more.yaml': '# nothing\n',
  });
  const { code, stderr } = await runLintel(['lock', ...args], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, `lintel: wrote ${LOCK}\nlintel: wrote ${TYPES}\n`]);
  expect(await readFile(folder.file(TYPES), 'utf8')).toContain('readonly page: string;');
});

test('`lintel lock` does not change a types file that a person wrote', async () => {
  const own = 'export const mine = 1;\n';
  await using folder = await temporaryFolder({
    [TYPES]: own,
    [LOCK]: '{\n  "lockfileVersion": 1,\n  "backends": {}\n}\n',
  });
  const { code, stderr } = await runLintel(['lock', '--offline'], { cwd: folder.path });
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    `lintel: ${TYPES} was not written by lintel; give another file to --types`,
  ]);
  expect(await readFile(folder.file(TYPES), 'utf8')).toBe(own);
});

/** A program name of the command, and what it takes for the name of a types file. */
test.each([
  ['sources of lintel.yaml, and a program after the option', ['--types', 'app.ts']],
  ['offline', ['--offline', '--types', 'app.ts']],
  ['with --check', ['--types', 'app.ts', '--check']],
  ['through a link', ['--types', 'link.ts']],
])('`lintel lock --types` never overwrites a program that a person wrote: %s', async (_, args) => {
  const own = `export const mine = 'app';\n`;
  await using folder = await temporaryFolder({
    'app.ts': own,
    'lintel.yaml': 'sources: [specs]\n',
    'specs/all.yaml': gatewayOver([]),
    [LOCK]: '{\n  "lockfileVersion": 1,\n  "backends": {}\n}\n',
  });
  await symlink('app.ts', folder.file('link.ts'));
  const { code, stdout, stderr } = await runLintel(['lock', ...args], { cwd: folder.path });
  const file = args.find(argument => argument.endsWith('.ts'));
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `lintel: --types ${file}: this file was not written by lintel, so it is not replaced; to lock the program, write \`lintel lock ${file} --types\`; for types, give the name of another file\n`,
  });
  expect(await readFile(folder.file('app.ts'), 'utf8')).toBe(own);
});
