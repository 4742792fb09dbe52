/** The release assistant: its tests pass, its lock matches its servers, and its specs have no findings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, run } from '../../support/process.ts';

const cwd = join(ROOT, 'examples/workflows');

test('`lintel test specs` passes in the workflows example and covers every step and branch', async () => {
  const { code, stdout, stderr } = await runLintel(['test', 'specs', '--min-coverage', '100'], { cwd });
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout).toMatch(/coverage of default\/release-desk release: 100 % \(steps 4 of 4, branches 5 of 5\)\n/);
});

test('the gateway of the workflows example asks the user of its client for consent, and publishes the release after a yes', async () => {
  const { code, stdout, stderr } = await run(join(cwd, 'release.mjs'), ['--yes']);
  expect([code, stderr]).toEqual([0, '']);
  const output = { issues: 2, published: true, url: 'https://releases.example/1.4.0' };
  expect(stdout).toBe(`tools: release\nPublish 1.4.0 with 2 issues of 1.4?\n${JSON.stringify(output, null, 2)}\n`);
});

test('the tool lock of the workflows example is up to date', async () => {
  const servers = await Promise.all(['tracker', 'releases'].map(startServer));
  try {
    const urls = servers.flatMap(({ name, url }) => ['--url', `${name}=${url}`]);
    expect(await runLintel(['lock', 'specs', '--check', ...urls], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'lintel: lintel.lock.json is up to date\n',
    });
  } finally {
    for (const { stop } of servers) await stop();
  }
});

async function startServer(name: string) {
  const child = spawn(process.execPath, [join(cwd, 'servers', `${name}.mjs`), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line as string) as { url: string };
  return {
    name,
    url,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
