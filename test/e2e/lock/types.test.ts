import { readFile, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROGRAM, run, temporaryFolder } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { gatewayOver, LOCK, lock, offering } from './peers.ts';

const TYPES = 'lintel.lock.ts';
const edit = (argument: string) => ({
  name: 'edit',
  inputSchema: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
});

test('types beside the tool catalog: written when asked for, kept current, checked, and written offline', async () => {
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
    `lintel: ${LOCK} is not what the backends offer: run \`lintel lock\`\nlintel: ${TYPES} is up to date\n`,
  ]);
  expect((await lock(folder, [])).stderr).toBe(`lintel: wrote ${LOCK}\nlintel: wrote ${TYPES}\n`);
  expect(await text()).toContain('readonly title: string;');

  await server.close();
  await rm(folder.file(TYPES));
  const offline = (args: readonly string[]) =>
    run(PROGRAM.lintel, ['lock', '--offline', ...args], { cwd: folder.path });
  expect(await offline(['--check'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `lintel: ${TYPES} is not what the tool catalog says: run \`lintel lock --types\`\n`,
  });
  expect(await offline([])).toEqual({ code: 0, stdout: '', stderr: `lintel: wrote ${TYPES}\n` });
  expect((await offline(['--check'])).code).toBe(0);
  expect((await offline(['--types', 'other.mts'])).stderr).toBe('lintel: wrote other.mts\n');
  expect(await readFile(folder.file('other.mts'), 'utf8')).toBe(await text());
});

test.each([
  [
    'a path taken for the file',
    ['--types', 'specs'],
    '--types specs: not the name of a .ts file; a path of specs stands before --types',
  ],
  ['offline without a catalog', ['--offline'], `no such tool catalog: ${LOCK}; \`lintel lock\` writes it`],
])('%s', async (_, args, message) => {
  await using folder = await temporaryFolder({ 'specs/all.yaml': gatewayOver([]) });
  const { code, stderr } = await run(PROGRAM.lintel, ['lock', ...args], { cwd: folder.path });
  expect([code, stderr.split('\n')[0]]).toEqual([2, `lintel: ${message}`]);
});

test("a file of somebody's own is left alone", async () => {
  const own = 'export const mine = 1;\n';
  await using folder = await temporaryFolder({
    [TYPES]: own,
    [LOCK]: '{\n  "lockfileVersion": 1,\n  "backends": {}\n}\n',
  });
  const { code, stderr } = await run(PROGRAM.lintel, ['lock', '--offline'], { cwd: folder.path });
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    `lintel: ${TYPES} was not written by lintel; give another file to --types`,
  ]);
  expect(await readFile(folder.file(TYPES), 'utf8')).toBe(own);
});
