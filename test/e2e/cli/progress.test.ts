/** Commands show the progress of long work only on a terminal. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Progress } from '../../../compiler/commands/progress.ts';
import { gatewayTexts } from '../../bench/gateways.ts';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { GROUP, inlineGateway } from '../specs.ts';

function terminal({ isTTY = true, columns = 40 } = {}) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns, write: (text: string) => written.push(text) > 0 } };
}

const ERASE = '\r\u001b[2K';

test('lintel shows no progress during short work, and during longer work one line that it redraws and erases at the end', () => {
  let now = 0;
  const { written, stream } = terminal();
  {
    using progress = new Progress({ stream, env: {}, now: () => now });
    for (now = 0; now <= 600; now += 10) progress.step('checking objects', now / 10, 60, 'team/eng');
  }
  expect(written).toEqual([
    `${ERASE}checking objects: 40 of 60 (team/eng)`,
    `${ERASE}checking objects: 48 of 60 (team/eng)`,
    `${ERASE}checking objects: 56 of 60 (team/eng)`,
    ERASE,
  ]);
});

test('the progress line of lintel does not wrap, and names in it cannot move the cursor', () => {
  let now = 0;
  const { written, stream } = terminal({ columns: 30 });
  const progress = new Progress({ stream, env: {}, now: () => now });
  now = 1_000;
  progress.step('checking objects', 1, 2, `\u001b[2J${'x'.repeat(100)}`);
  expect(written).toEqual([`${ERASE}checking objects: 1 of 2 (\\u0`]);
  expect(written[0]).toHaveLength(ERASE.length + 29);
});

test.each<[what: string, isTTY: boolean, env: Record<string, string>]>([
  ['a pipe', false, {}],
  ['CI', true, { CI: 'true' }],
  ['a dumb terminal', true, { TERM: 'dumb' }],
])('lintel shows no progress in %s', (_, isTTY, env) => {
  let now = 0;
  const { written, stream } = terminal({ isTTY });
  const progress = new Progress({ stream, env, now: () => now });
  now = 10_000;
  progress.step('checking objects', 1, 2, 'a');
  progress.end();
  expect([progress.isShown, written]).toEqual([false, []]);
});

/** All that a terminal gets from a command, with its control sequences. */
async function shownBy(folder: TemporaryFolder, args: readonly string[]): Promise<string> {
  const command = `stty cols 100; exec ${[process.execPath, PROGRAM.lintel, ...args].join(' ')}`;
  const { PATH } = process.env;
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], {
    cwd: folder.path,
    env: { PATH, HOME: folder.path, TERM: 'xterm' },
  });
  return stdout;
}

withPeers('script').describe('on a terminal', () => {
  test('`lintel check` of many gateways shows its progress, and erases the line before it prints findings', async () => {
    const texts = gatewayTexts(400).map(({ file, text }) => [`specs/${file}`, text] as const);
    await using folder = await temporaryFolder(Object.fromEntries(texts));
    const shown = await shownBy(folder, ['check', 'specs', '--fail-on', 'error']);
    const steps = shown.split(ERASE).slice(1);
    expect(steps.filter(step => /^checking [a-z ]+: \d+ of \d+ \([\w-]+\/[\w-]+\)$/.test(step))).not.toEqual([]);
    const end = shown.lastIndexOf(ERASE);
    expect(shown.slice(end)).not.toMatch(/ of \d+ \(/);
    expect(shown.slice(end)).toMatch(/in \d+ files/);
  });

  test('`lintel lock` shows which backend it waits for', async () => {
    const server = await startRawServer(
      withHandshake(async ({ message }, response) => {
        const { id } = message as { readonly id: unknown };
        await new Promise(resolve => setTimeout(resolve, 1_500));
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } }));
      }),
    );
    try {
      await using folder = await temporaryFolder({
        'gateway.yaml': `${GROUP}---\n${inlineGateway('eng', `${server.origin}/mcp`)}`,
      });
      const shown = await shownBy(folder, ['lock', 'gateway.yaml']);
      expect(shown).toContain(`${ERASE}backends that answered: 0 of 1 (waiting for `);
      expect(shown.slice(shown.lastIndexOf(ERASE))).toContain('wrote lintel.lock.json');
    } finally {
      await server.close();
    }
  });
});
