/** Runs the bridge from the files that an init container copies into pods, in a root folder with nothing else: no libc, no shell, no Node. */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { BRIDGE_COMMAND, BRIDGE_FOLDER } from '../../compiler/analysis/pods/carried-bridge.ts';
import { ROOT } from '../support/process.ts';
import { connect, TOKEN } from './running-bridge.ts';

/** Whether this machine allows chroot, and is a platform for which images are built. */
function canChangeRoot(): boolean {
  try {
    execFileSync('unshare', ['--map-root-user', '--root=/', 'true'], { stdio: 'ignore' });
    execFileSync('ldd', [process.execPath], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
}

describe.skipIf(!canChangeRoot())('a bridge that was carried into an empty image', () => {
  const root = mkdtempSync(join(tmpdir(), 'lintel-carried-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('a bridge that was copied into an image without libraries starts a program of the image with the copied loader and shell', async () => {
    const carried = join(root, BRIDGE_FOLDER);
    const programs = [`node=${process.execPath}`, 'sh=/bin/sh'];
    execFileSync('sh', [join(ROOT, 'bridge/carry.sh'), carried, ...programs]);
    copyFileSync(join(ROOT, 'dist/lintel-bridge.js'), join(carried, 'lintel-bridge.js'));
    copyFileSync(join(ROOT, 'package.json'), join(carried, 'package.json'));
    for (const folder of ['tmp', 'proc', 'app', 'dev']) mkdirSync(join(root, folder), { recursive: true });
    // Every container has these devices.
    writeFileSync(join(root, 'dev/null'), '');
    copyFileSync(join(import.meta.dirname, 'servers/plain.mjs'), join(root, 'app/plain.mjs'));
    // An image has its own interpreter; here it is the one that was copied. Only the first process of a container runs tini.
    const [loader = '', ...library] = BRIDGE_COMMAND.slice(0, 3);
    const own = BRIDGE_COMMAND.slice(BRIDGE_COMMAND.indexOf('--') + 1);
    const shell = [loader, ...library, `${BRIDGE_FOLDER}/sh`].join(' ');
    const server = [loader, ...library, `${BRIDGE_FOLDER}/node`, '/app/plain.mjs'];
    const child = spawn(
      'unshare',
      [
        '--map-root-user',
        `--root=${root}`,
        ...own,
        '--serve',
        'mcp/plain',
        '--port',
        '0',
        '--shell',
        shell,
        '--',
        ...server,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { LINTEL_BRIDGE_TOKEN: TOKEN, PATH: '/bin' } },
    );
    try {
      const { value: line } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
      const { url } = JSON.parse(String(line)) as { readonly url: string };
      await using peer = await connect(`${url}/mcp/plain/mcp`);
      expect(peer.client.getServerVersion()).toMatchObject({ name: 'plain' });
    } finally {
      child.kill();
    }
  });
});
