import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUNDLE_FILE, type BundleIndex } from '#schemas';
import { PROGRAM, run, type TemporaryFolder } from '../../support/process.ts';
import { buildInto, FREE_PORTS } from '../served.ts';
import { CLEAN, gateway } from '../specs.ts';

let folder: TemporaryFolder;
let eng: BundleIndex['bundles'][number];

beforeAll(async () => {
  folder = await buildInto({ ...CLEAN, 'other.yaml': gateway('other') });
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as BundleIndex;
  const [first] = index.bundles;
  if (first === undefined) throw new Error('nothing was built');
  eng = first;
  await folder.write({
    'bad.json': '{"formatVersion": 1,',
    'list.json': '[]',
    'mcp.json': '{ "mcpServers": {} }',
    'escapes.json': '\u001b[2J\u202e',
    'newer.json': '{"formatVersion": 2}',
    'part.json': '{"formatVersion": 1, "kind": "gateway", "namespace": "default"}',
    'empty/README.md': '',
  });
});

afterAll(() => folder[Symbol.asyncDispose]());

function runtime(...args: string[]) {
  return run(PROGRAM.runtime, args, { cwd: folder.path });
}

const HELP = "Try 'lintel-runtime --help'.\n";

test.each([
  ['a missing --bundle', [], '--bundle PATH is required'],
  ['an empty --bundle', ['--bundle', ''], '--bundle PATH is required'],
  ['an unknown option', ['--bundel', 'out'], 'unknown option --bundel; did you mean --bundle?'],
  ['a bundle without --bundle', ['out'], 'unexpected argument out; did you mean --bundle out?'],
  ['a second value', ['--bundle', 'out', '8080'], 'unexpected argument 8080; every value belongs to an option'],
  ['a port that is too large', ['--bundle', 'out', '--port', '65536'], '--port 65536: expected a port from 0 to 65535'],
  [
    'a port that is not a number',
    ['--bundle', 'out', '--port', 'http'],
    '--port http: expected a port from 0 to 65535',
  ],
  ['an empty port', ['--bundle', 'out', '--port', ''], '--port : expected a port from 0 to 65535'],
  [
    'an empty host',
    ['--bundle', 'out', '--host', ''],
    '--host is empty: name an address, such as 127.0.0.1, or 0.0.0.0 for all',
  ],
  [
    'an internal address without a host',
    ['--bundle', 'out', '--internal-address', '8081'],
    '--internal-address 8081: expected HOST:PORT, with an IPv6 address in brackets',
  ],
  [
    'an IPv6 address without brackets',
    ['--bundle', 'out', '--internal-address', '::1:8081'],
    '--internal-address ::1:8081: expected HOST:PORT, with an IPv6 address in brackets',
  ],
  [
    'an internal port that is too large',
    ['--bundle', 'out', '--internal-address', '127.0.0.1:70000'],
    '--internal-address 70000: expected a port from 0 to 65535',
  ],
  [
    'an allowed origin with a path',
    ['--bundle', 'out', '--allowed-origin', 'https://chat.example.com/x'],
    '--allowed-origin https://chat.example.com/x: expected an origin, such as https://chat.example.com',
  ],
  [
    'an allowed origin without a scheme',
    ['--bundle', 'out', '--allowed-origin', 'chat.example.com'],
    '--allowed-origin chat.example.com: expected an origin, such as https://chat.example.com',
  ],
])('the runtime exits with code 2 and names --help for %s', async (_, args, message) => {
  expect(await runtime(...args)).toEqual({ code: 2, stdout: '', stderr: `lintel-runtime: ${message}\n${HELP}` });
});

/** Rows of: the error, arguments, message; `DIR` stands for the folder. */
test.each([
  [
    'a path that does not exist',
    ['--bundle', 'nope'],
    'nope: no such file or directory; give the folder that `lintel build` wrote',
  ],
  [
    'a folder without a bundle',
    ['--bundle', 'empty'],
    'empty: found neither index.json nor bundle.json; give the folder that `lintel build` wrote',
  ],
  [
    'a bundle that is not JSON',
    ['--bundle', 'bad.json'],
    'DIR/bad.json: is not JSON: Expected double-quoted property name in JSON at position 20 (line 1 column 21); build it again',
  ],
  [
    'a file that would clear the screen',
    ['--bundle', 'escapes.json'],
    `DIR/escapes.json: is not JSON: Unexpected token '\\u001b', "\\u001b[2J\\u202e" is not valid JSON; build it again`,
  ],
  [
    'another JSON file',
    ['--bundle', 'mcp.json'],
    'DIR/mcp.json: is not a bundle, which has "formatVersion"; give the folder that `lintel build` wrote',
  ],
  [
    'a bundle of another format',
    ['--bundle', 'newer.json'],
    'DIR/newer.json: bundle format 2 is not known; this runtime reads format 1',
  ],
  [
    'a part of a bundle',
    ['--bundle', 'part.json'],
    'DIR/part.json: is not a complete bundle: "name" is missing; build it again',
  ],
  [
    'a gateway that does not exist',
    ['--bundle', 'out', '--gateway', 'third'],
    'DIR/out/index.json: it lists no gateway "third"; it has: default/eng, default/other',
  ],
  [
    'several gateways and no choice',
    ['--bundle', 'out'],
    'DIR/out/index.json: it lists several gateways: choose one with --gateway: default/eng, default/other',
  ],
])('the runtime exits with code 2 and prints the reason for %s', async (_, args, message) => {
  const stderr = `lintel-runtime: ${message.replace('DIR', folder.path)}\n`;
  expect(await runtime(...args, ...FREE_PORTS)).toEqual({ code: 2, stdout: '', stderr });
});

test('the runtime refuses a bundle whose content does not match the digest of its directory', async () => {
  await using tampered = await buildInto(CLEAN);
  const file = tampered.file(`out/${eng.path}/${BUNDLE_FILE}`);
  await writeFile(file, (await readFile(file, 'utf8')).replace('github.example.com', 'github.exomple.com'));
  const message =
    /^lintel-runtime: \S+\/bundle\.json: the content has digest sha256:([0-9a-f]{64}), but (\S+) was expected; build it again\n$/;
  for (const path of ['out', `out/${eng.path}`, `out/${eng.path}/${BUNDLE_FILE}`]) {
    const { code, stdout, stderr } = await run(PROGRAM.runtime, ['--bundle', path], { cwd: tampered.path });
    expect([code, stdout], path).toEqual([2, '']);
    expect(stderr, path).toMatch(message);
    expect(message.exec(stderr)?.[2], path).toBe(eng.digest);
  }
});

test.each([
  ['--host/--port', (port: number) => ['--port', String(port), '--internal-address', '127.0.0.1:0']],
  ['--internal-address', (port: number) => ['--port', '0', '--internal-address', `127.0.0.1:${port}`]],
])('the error of the runtime for a port in use names %s', async (flag, args) => {
  const holder = createServer();
  const port = await new Promise<number>(resolve => {
    holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port));
  });
  const { code, stdout, stderr } = await runtime('--bundle', 'out', '--gateway', 'eng', ...args(port));
  holder.close();
  expect([code, stdout]).toEqual([2, '']);
  // Earlier lines of the log may report that a backend is unreachable.
  expect(stderr).toMatch(
    new RegExp(
      `(^|\\n)lintel-runtime: cannot listen on 127\\.0\\.0\\.1:${port}: the address is in use; choose another address with ${flag}\\n$`,
    ),
  );
});
