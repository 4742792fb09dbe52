/** What a person reads who starts a gateway on a terminal; programs that read its output get JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { clientSnippet } from '../../../compiler/commands/serving/client-snippet.ts';
import { logText } from '../../../compiler/commands/serving/log-text.ts';
import { nextSteps } from '../../../examples/quickstart/parts/next-steps.mjs';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const time = '2026-01-02T03:04:05.678Z';
const clock = new Date(time).toTimeString().slice(0, 8);

describe('a line of the log', () => {
  test.each<[what: string, line: string, text: string]>([
    ['a message', JSON.stringify({ level: 'info', time, msg: 'listening' }), `${clock}  info   listening`],
    [
      'members after it, quoted where they hold spaces',
      JSON.stringify({ level: 'warn', time, backend: 'notes', cause: 'no answer', count: 3, msg: 'x' }),
      `${clock}  warn   x  backend=notes cause="no answer" count=3`,
    ],
    [
      'of an error its message',
      JSON.stringify({ level: 'error', time, err: { type: 'Error', message: 'gone', stack: 'at …' }, msg: 'x' }),
      `${clock}  error  x  err=gone`,
    ],
    [
      'text from outside moves no cursor',
      JSON.stringify({ level: 'info', time, tool: '\u001b[2J', msg: 'a\u202eb' }),
      `${clock}  info   a\\u202eb  tool=\\u001b[2J`,
    ],
    ['what is not JSON stays', 'Error: x', 'Error: x'],
    ['nor is this', '{ x', '{ x'],
  ])('%s', (_what, line, text) => {
    expect(logText(line, false)).toBe(text);
  });
});

test('--log-format text writes for people where there is no terminal either; standard output stays JSON', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, '--log-format', 'text', ...FREE_PORTS]);
  const { url } = await lintel.announcement<Announcement>();
  expect(await lintel.stderr.next(/^\d\d:\d\d:\d\d {2}info {3}listening {2}.*\n/m)).toContain(`url=${url}`);
});

withPeers('script').describe('on a terminal', () => {
  test.each(['serve', 'dev'])('%s prints how clients connect, and logs for people', async verb => {
    await using folder = await temporaryFolder(CLEAN);
    const command = [process.execPath, PROGRAM.lintel, verb, '.', ...FREE_PORTS].join(' ');
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder.path,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      let shown = '';
      for await (const chunk of terminal.stdout.setEncoding('utf8')) {
        shown += chunk.replaceAll('\r', '');
        if (shown.includes('Ctrl-C') && /listening.*\n/.test(shown)) break;
      }
      const url = /serves at (http:\S+)/.exec(shown)?.[1] ?? '';
      expect(shown).toContain(clientSnippet(url));
      expect(shown).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}info {3}listening {2}url=${url} `, 'm'));
      expect(shown).not.toContain('{"level"');
    } finally {
      terminal.kill();
      await once(terminal, 'close');
    }
  });
});

test('the quickstart prints the same', () => {
  const running = { url: 'http://127.0.0.1:4483/mcp', internal: 'http://127.0.0.1:8081', spec: 'x.yaml' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of its headings
  expect(nextSteps(running).replace(/\u001b\[\d+m/g, '')).toContain(clientSnippet(running.url));
});
