/** The commands of `lintel` with the configuration of a registry server. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

const CONFIG = `sources: [{ name: a, file: { path: /x } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;

const MODE = 'auth: { mode: anonymous }\n';

test('`lintel build` writes the bundle of a gateway before the bundle of a registry server', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'eng.yaml': CONFIG });
  const { code, stdout } = await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path });
  expect([code, stdout.split('\n').length]).toEqual([0, 3]);
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as { bundles: object[] };
  expect(index.bundles).toMatchObject([
    { kind: 'gateway', namespace: 'default', name: 'eng' },
    { kind: 'registry', namespace: 'default', name: 'eng' },
  ]);
});

test('`lintel build` keeps the last good index entry of an invalid registry server, even if a gateway has the same name', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'eng.yaml': CONFIG });
  const build = () => runLintel(['build', '.', '--out', 'out'], { cwd: folder.path });
  await build();
  const before = await readFile(folder.file('out/index.json'), 'utf8');
  await folder.write({ 'eng.yaml': CONFIG.replace('[a]', '[b]') });
  expect((await build()).code).toBe(1);
  expect(await readFile(folder.file('out/index.json'), 'utf8')).toBe(before);
});

test('`lintel check` recognizes a registry configuration with a single section if an argument names the file, not its folder', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'registry.yaml': MODE });
  const check = async (path: string, input?: string) => {
    const { stdout } = await runLintel(['check', path, '--format', 'compact'], {
      cwd: folder.path,
      ...(input === undefined ? {} : { input }),
    });
    return stdout;
  };
  expect(await check('.')).not.toContain('LNT');
  expect(await check('registry.yaml')).toContain('LNT1010');
  expect(await check('-', MODE)).toContain('LNT1010');
});
