/** The example of 60 tools behind the optimizer: what its client finds and calls, and that its lock matches its servers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, run } from '../../support/process.ts';

const cwd = join(ROOT, 'examples/optimizer');
const SERVERS = ['calendar', 'mail', 'billing', 'projects', 'people'];

test('the client of the optimizer example lists two tools, finds further tools by words and by meaning, and calls the found tools', async () => {
  const { code, stdout, stderr } = await run(join(cwd, 'office.mjs'), []);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(/\(\d\d\.?\d* %/g, '(N %')).toBe(
    `tools: call_tool, find_tool

book a room for the workshop
  found: calendar_book_room, calendar_release_room, calendar_list_rooms (N % of the tokens saved)
  calendar_book_room answered: {"tool":"book_room","room":"some room","start":"some start","minutes":1}

a client owes us money: nudge them
  found: billing_send_payment_reminder, mail_send_message, mail_delete_message (N % of the tokens saved)
  billing_send_payment_reminder answered: {"tool":"send_payment_reminder","invoice":"some invoice"}
`,
  );
});

test.each([
  ['book a room', 0, /1\. calendar_book_room /],
  ['a client owes us money: nudge them', 1, /^nothing found .* among 60 tools .* by keywords/],
])(
  '`lintel find "%s"` searches the tools of the optimizer example while no backend runs',
  async (words, exitCode, answer) => {
    const { code, stdout } = await runLintel(['find', words, 'specs'], { cwd });
    expect(code).toBe(exitCode);
    expect(stdout).toMatch(answer);
  },
);

test('the tool lock of the optimizer example is up to date, and its specs have no findings', async () => {
  const servers = await Promise.all(SERVERS.map(startServer));
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
  expect((await runLintel(['check', 'specs', '--fail-on', 'hint'], { cwd })).code).toBe(0);
});

async function startServer(name: string) {
  const child = spawn(process.execPath, [join(cwd, 'servers/office.mjs'), name, '--port', '0'], {
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
