/** The output for a user who starts a gateway on a terminal; programs that read it get JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { formatClientSnippet } from '../../../compiler/commands/serving/client-snippet.ts';
import { logText } from '../../../compiler/commands/serving/log-text.ts';
import { nextSteps } from '../../../examples/quickstart/parts/next-steps.mjs';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const PEER = { command: 'node', args: ['-v'], env: { PEER_TOKEN: 'S3CRET-1a2b3c4d' } };

const time = '2026-01-02T03:04:05.678Z';
const clock = new Date(time).toTimeString().slice(0, 8);

describe('a line of the log', () => {
  test.each<[what: string, line: string, text: string]>([
    ['a message', JSON.stringify({ level: 'info', time, msg: 'listening' }), `${clock}  info   listening`],
    [
      'members after the message, quoted where they have spaces',
      JSON.stringify({ level: 'warn', time, backend: 'notes', cause: 'no answer', count: 3, msg: 'x' }),
      `${clock}  warn   x  backend=notes cause="no answer" count=3`,
    ],
    [
      'only the message of an error',
      JSON.stringify({ level: 'error', time, err: { type: 'Error', message: 'gone', stack: 'at …' }, msg: 'x' }),
      `${clock}  error  x  err=gone`,
    ],
    [
      'control characters escaped',
      JSON.stringify({ level: 'info', time, tool: '\u001b[2J', msg: 'a\u202eb' }),
      `${clock}  info   a\\u202eb  tool=\\u001b[2J`,
    ],
    ['a line that is not JSON unchanged', 'Error: x', 'Error: x'],
    ['a line with broken JSON unchanged', '{ x', '{ x'],
  ])('the log of `lintel serve` on a terminal shows %s', (_what, line, text) => {
    expect(logText(line, false)).toBe(text);
  });
});

test('the log of `lintel serve` continues a line that is too wide for the terminal on the next line, below its message', () => {
  const cause =
    'https://git.example.com/platform/mcp-catalog.git: the connection was refused: nothing listens there; see whether the server runs';
  const line = JSON.stringify({
    level: 'warn',
    time,
    source: 'internal',
    cause,
    servers: 0,
    msg: 'the source cannot be read; the entries that were read last stay listed',
  });
  expect(
    logText(line, false, 80),
  ).toBe(`${clock}  warn   the source cannot be read; the entries that were read last stay
                 listed
                 source=internal
                 cause="https://git.example.com/platform/mcp-catalog.git: the
                   connection was refused: nothing listens there; see whether
                   the server runs"
                 servers=0`);
  expect(logText(line, false, 80).replace(/\s+/g, ' ')).toBe(logText(line, false).replace(/\s+/g, ' '));
  for (const columns of [undefined, 0, 20, 1_000]) expect(logText(line, false, columns)).not.toContain('\n');
  expect(logText(line, true, 80)).toContain('\u001b[');
});

test('`lintel serve --log-format text` writes its log as text even without a terminal, and its standard output stays JSON', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, '--log-format', 'text', ...FREE_PORTS]);
  const { url } = await lintel.announcement<Announcement>();
  expect(await lintel.stderr.next(/^\d\d:\d\d:\d\d {2}info {3}listening {2}.*\n/m)).toContain(`url=${url}`);
});

/** The terminal of a program once it serves and has logged that line. */
async function shownBy(folder: TemporaryFolder, args: readonly string[]): Promise<string> {
  const command = ['stty cols 80; exec', process.execPath, PROGRAM.lintel, ...args, ...FREE_PORTS].join(' ');
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder.path,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let shown = '';
    for await (const chunk of terminal.stdout.setEncoding('utf8')) {
      shown += chunk.replaceAll('\r', '');
      if (shown.includes('Ctrl-C') && /listening\s+url=.*\n/.test(shown)) break;
    }
    return shown;
  } finally {
    terminal.kill();
    await once(terminal, 'close');
  }
}

withPeers('script').describe('on a terminal', () => {
  test.each(['serve', 'dev'])(
    '`lintel %s` on a terminal prints how clients connect and which servers it could not start and why, and logs as text',
    async verb => {
      const mcpServers = {
        absent: { command: 'no-such-program' },
        peer: PEER,
        there: { command: 'node', args: ['-v'] },
      };
      await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify({ mcpServers }) });
      expect(await runLintel(['import', 'mcp.json'], { cwd: folder.path })).toMatchObject({ code: 0 });
      const shown = await shownBy(folder, [verb]);
      const url = /serves at (http:\S+)/.exec(shown)?.[1] ?? '';
      expect(shown).toContain(`

It serves without 2 of its 3 servers: absent, peer
  a secret is missing: LINTEL_SECRET_ENV_PEER_TOKEN_PEER (PEER_TOKEN of peer);
  copy .env.example to .env, write it there, and start this with --dotenv .env
  a program is missing: no-such-program (of absent); install it, put the folder
  on PATH, or correct command in the spec

${formatClientSnippet(url)}
`);
      // Printed once.
      expect(shown.match(/a (?:secret|program) is missing/g)).toHaveLength(2);
      expect(shown).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}info {3}listening\\n {17}url=${url} `, 'm'));
      expect(shown).not.toContain('{"level"');
    },
  );
});

test('`lintel quickstart` prints the same client snippet as `lintel serve`', () => {
  const running = { url: 'http://127.0.0.1:4483/mcp', internal: 'http://127.0.0.1:8081', spec: 'x.yaml' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of its headings
  expect(nextSteps(running).replace(/\u001b\[\d+m/g, '')).toContain(formatClientSnippet(running.url));
});
