import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM, ROOT, run, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { CLEAN, gateway, WITH_ERROR, WITH_UNSUPPORTED } from '../specs.ts';

test.each([
  ['an error', WITH_ERROR, 'error[LNT1011] not-in-enum: '],
  ['a field that the runtime does not support yet', WITH_UNSUPPORTED, 'error[LNT1009] not-supported-yet: '],
])('`lintel serve` prints findings on standard error and exits with code 1 for %s', async (_, files, finding) => {
  await using folder = await temporaryFolder(files);
  const { code, stdout, stderr } = await run(PROGRAM.lintel, ['serve', '.', ...FREE_PORTS], { cwd: folder.path });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(finding);
});

test('`lintel serve` asks the user to choose one of several gateways', async () => {
  await using folder = await temporaryFolder({ ...CLEAN, 'other.yaml': gateway('other') });
  expect(await run(PROGRAM.lintel, ['serve', '.', ...FREE_PORTS], { cwd: folder.path })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'lintel: several gateways: choose one with --gateway: default/eng, default/other\n',
  });
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, '--gateway', 'other', ...FREE_PORTS]);
  expect(await lintel.announcement()).toMatchObject({ gateway: 'default/other' });
});

test('`lintel serve` names the registry server whose secret is missing, and no temporary file', async () => {
  const { code, stdout, stderr } = await run(PROGRAM.lintel, ['serve', join(ROOT, 'examples/registry'), ...FREE_PORTS]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^lintel-runtime: registry server default\/company: the client secret of an identity provider is missing: /m,
  );
  expect(stderr).not.toContain(tmpdir());
});

test('`lintel serve` exits with code 2 for an invalid port, before it starts the runtime', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const { code, stderr } = await run(PROGRAM.lintel, ['serve', folder.path, '--port', 'http']);
  expect([code, stderr]).toEqual([
    2,
    "error: option '--port <port>' argument 'http' is invalid. Write a port from 0 to 65535.\n(try 'lintel serve --help')\n",
  ]);
});
