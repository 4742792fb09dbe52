/** `lintel top` with a real gateway: in a pipe, and on a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BreakingBackend, startBreakingBackend } from '../../runtime/circuit-breaker/breaking-backend.ts';
import { ask } from '../../runtime/stateless-edge/requests.ts';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually, PROGRAM, run } from '../../support/process.ts';
import { startRawServer } from '../../support/raw-server.ts';

let hung: BreakingBackend;
let away: BreakingBackend;
let gateway: TestGateway;

beforeAll(async () => {
  [hung, away] = [await startBreakingBackend(), await startBreakingBackend()];
  gateway = await startGateway({
    backends: [backendPlan('hung', hung.url, { timeoutMs: 600_000 }), backendPlan('away', away.url)],
    operational: { circuitBreaker: { failureThreshold: 1, timeoutMs: 600_000 } },
    rateLimiting: { store: null, shared: { maxTokens: 4, refillPeriodMs: 3_600_000 }, perUser: null, tools: [] },
  });
  await gateway.ready();
  const call = (name: string) => ask(gateway.url, { method: 'tools/call', params: { name, arguments: {} } });
  await call('hung_x');
  hung.calls = 'hang';
  away.calls = 503;
  await call('away_x');
  for (let waiting = 0; waiting < 2; waiting++) call('hung_x').catch(() => {});
  await eventually(() => hung.underWay === 2);
  expect((await call('hung_x')).status, 'no token is left').toBe(429);
});

afterAll(async () => {
  await gateway.stop();
  await hung.close();
  await away.close();
});

/** Parts of the table that do not depend on the time of reading. */
const ROWS = [
  /^default\/test {2}healthy {2}lintel \S+ {2}bundle sha256:[0-9a-f]{12} {2}\d\d:\d\d:\d\d$/m,
  /^sessions 0 {2}tools 1 /m,
  /^BACKEND {2}STATUS {7}CIRCUIT .*OPEN {2}RUNNING {2}WAITING {2}PARKED {2}REFUSED {2}MESSAGE$/m,
  /^hung {5}ready {8}closed .* 2 {8}2 {8}0 {7}0 {8}0/m,
  /^away {5}unavailable {2}open .* 0 {8}0 {8}0 {7}0 {8}0 {2}the circuit is open after consecutive failures; the last failure: \w/m,
  /^rate limits in memory {2}allowed 4 .*rejected 1/m,
  /^shared {2}all +4 {2}3600s {2}1$/m,
];

test('`lintel top` in a pipe prints its table once, without escape sequences', async () => {
  const { code, stdout, stderr } = await run(PROGRAM.lintel, ['top', gateway.internalUrl]);
  expect([code, stderr]).toEqual([0, '']);
  for (const row of ROWS) expect(stdout).toMatch(row);
  expect(stdout).toBe(stripVTControlCharacters(stdout));
});

interface Shown {
  readonly code: number | null;
  readonly text: string;
}

/** On a terminal of 200 columns; `keys` are pressed once `shown` is displayed. */
async function onTerminal(args: string, env: NodeJS.ProcessEnv, shown?: string, keys?: string): Promise<Shown> {
  const command = `stty cols 200 rows 40; exec ${process.execPath} ${PROGRAM.lintel} top ${gateway.internalUrl} ${args}`;
  const { PATH, HOME } = process.env;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH, HOME, TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const wasThere = shown !== undefined && text.includes(shown);
    text += chunk;
    if (!wasThere && shown !== undefined && text.includes(shown)) child.stdin.write(keys ?? '');
  });
  const [code] = await ended;
  return { code: code as number | null, text: text.replaceAll('\r', '') };
}

const ENTER = '\u001b[?1049h';
const LEAVE = '\u001b[?1049l';

withPeers('script').describe('on a terminal', () => {
  test.each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('`lintel top` shows its table on the alternate screen until %s, and restores the screen', async (_, key) => {
    // Rates are shown from the second reading on.
    const { code, text } = await onTerminal('--interval 100ms', {}, 'CALLS/S', key);
    expect(code).toBe(0);
    expect(text.startsWith(ENTER)).toBe(true);
    expect(text.endsWith(LEAVE)).toBe(true);
    expect(text.split('\u001b[H').length, 'drawn more than once').toBeGreaterThan(2);
    const last = stripVTControlCharacters(text.slice(text.lastIndexOf('\u001b[H')));
    for (const row of ROWS) expect(last).toMatch(row);
    expect(last).toContain('q to leave');
    expect(text).toContain('\u001b[31munavailable\u001b[39m');
  });

  test('`lintel top` with NO_COLOR uses no colors, and still redraws its table on the alternate screen', async () => {
    const { text } = await onTerminal('--interval 100ms', { NO_COLOR: '1' }, 'CALLS/S', 'q');
    expect(text.startsWith(ENTER)).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are such
    expect(text).not.toMatch(/\u001b\[\d+m/);
  });

  test.each<[what: string, args: string, env: NodeJS.ProcessEnv]>([
    ['with --once', '--once', {}],
    ['with TERM=dumb', '', { TERM: 'dumb' }],
  ])('`lintel top` %s prints its table once', async (_, args, env) => {
    const { code, text } = await onTerminal(args, env);
    expect(code).toBe(0);
    expect(text).not.toContain(ENTER);
    for (const row of ROWS.slice(0, 4)) expect(stripVTControlCharacters(text)).toMatch(row);
  });
});

test('`lintel top` says what to do if the answer is not the status of a gateway', async () => {
  const page = await startRawServer((_, response) => void response.end('<html></html>'));
  const other = await startRawServer((_, response) => void response.end('{"gateway":{}}'));
  const registry = await startRawServer((_, response) => void response.end('{"registry":{}}'));
  const gone = await startRawServer((_, response) => void response.end());
  await gone.close();
  const where =
    'give the internal address of a gateway (--internal-address, 127.0.0.1:8081 by default), which `lintel dev` and `lintel serve` print when they start, and not the URL that clients call';
  const cases: [url: string, message: string][] = [
    [new URL(gateway.url).origin, `${new URL('/status', gateway.url)} answers HTTP 404: ${where}`],
    [page.origin, `${page.origin}/status answers, but not with JSON: ${where}`],
    [other.origin, `${other.origin}/status answers, but not with the status of a gateway: ${where}`],
    [
      registry.origin,
      `${registry.origin}/status is of a registry server: \`lintel top\` shows gateways, and the page itself has what is known`,
    ],
    [
      `https://${new URL(page.origin).host}`,
      `${page.origin.replace('http:', 'https:')}/status cannot be read: it does not speak TLS: write http:// in place of https://`,
    ],
    ['http://127.0.0.1:9', `http://127.0.0.1:9/status cannot be read: port 9 is of another protocol; ${where}`],
    [
      gone.origin,
      `${gone.origin}/status cannot be read: the connection was refused: nothing listens there. \`lintel dev\` and \`lintel serve\` print the internal address of a gateway when they start`,
    ],
  ];
  for (const [url, message] of cases) {
    expect(await run(PROGRAM.lintel, ['top', url])).toEqual({ code: 3, stdout: '', stderr: `lintel: ${message}\n` });
  }
  await page.close();
  await other.close();
  await registry.close();
  const wrong = await run(PROGRAM.lintel, ['top', 'ftp://127.0.0.1']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    'lintel: "ftp://127.0.0.1" is no URL of a gateway: give its internal address, such as http://127.0.0.1:8081\n',
  ]);
});
