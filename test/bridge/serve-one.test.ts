/** A bridge that runs one server, whose command is on the bridge's command line, as in containers. */
import { afterEach, describe, expect, test } from 'vitest';
import { PROGRAM, type ProcessOptions, type Program, start } from '../support/process.ts';
import { call, connect, PEER, TOKEN } from './running-bridge.ts';

const running: Program[] = [];
afterEach(async () => {
  for (const program of running.splice(0)) await program[Symbol.asyncDispose]();
});

function bridge(args: readonly string[], options: ProcessOptions = {}): Program {
  const program = start(PROGRAM.bridge, args, options);
  running.push(program);
  return program;
}

const SERVE = ['--serve', 'mcp/peer', '--port', '0'];
const COMMAND = ['--', process.execPath, PEER];

interface Listening {
  readonly url: string;
  readonly health?: string;
}

describe('--serve', () => {
  test('`lintel-bridge --serve` runs the given command with the environment of the bridge', async () => {
    const env = { LINTEL_BRIDGE_TOKEN: TOKEN, PLAIN: 'value', SECRET: 'hidden-value' };
    const secret = { name: 'SECRET', value: { type: 'secret', from: { env: 'SECRET', file: null } } };
    const program = bridge([...SERVE, '--plan', JSON.stringify({ env: [secret] }), ...COMMAND], { env });
    const { url, health } = await program.announcement<Listening>();
    expect(health).toBeUndefined();
    await using peer = await connect(`${url}/mcp/peer/mcp`);
    const seen = JSON.parse(await call(peer.client, 'environment')) as Record<string, string>;
    expect(seen).toMatchObject({ PLAIN: 'value', SECRET: 'hidden-value' });
    // The message is for callers of the bridge.
    expect(Object.values(seen)).not.toContain(TOKEN);
  });

  test('`lintel-bridge --serve` passes arguments unchanged, because the shell or Kubernetes has expanded them', async () => {
    const program = bridge([...SERVE, ...COMMAND, '$(SECRET)', '$$(SECRET)', '$'], {
      env: { LINTEL_BRIDGE_TOKEN: TOKEN, SECRET: 'hidden-value' },
    });
    const { url } = await program.announcement<Listening>();
    await using peer = await connect(`${url}/mcp/peer/mcp`);
    expect(JSON.parse(await call(peer.client, 'arguments'))).toEqual(['$(SECRET)', '$$(SECRET)', '$']);
  });

  test('`lintel-bridge --serve` answers only health probes at its health address', async () => {
    const program = bridge([...SERVE, '--health-address', '127.0.0.1:0', ...COMMAND]);
    const { health = expect.fail() } = await program.announcement<Listening>();
    const answer = await fetch(`${health}/health`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    expect((await fetch(`${health}/mcp/peer/mcp`)).status).toBe(404);
    expect((await fetch(`${health}/health`, { method: 'POST' })).status).toBe(405);
  });

  test.each([
    ['a command that does not exist', [...SERVE, '--', 'no-such-server'], 'there is no program no-such-server on PATH'],
    ['a path that does not exist', [...SERVE, '--', '/no/server'], 'there is no program /no/server:'],
    ['no command', SERVE, 'needs the command of the server'],
    ['a plan that is not JSON', [...SERVE, '--plan', '{', ...COMMAND], '--plan is not a JSON object'],
    [
      'a plan with a command',
      [...SERVE, '--plan', '{"command":"a"}', ...COMMAND],
      '--plan: command cannot be set here',
    ],
    [
      'a plan with a wrong member',
      [...SERVE, '--plan', '{"maxProcesses":0}', ...COMMAND],
      'maxProcesses is missing, or',
    ],
    ['a name that is no key', ['--serve', 'peer', ...COMMAND], 'is not a <namespace>/<name>'],
    ['a configuration as well', [...SERVE, '--config', 'a.json', ...COMMAND], '--config and --serve: choose one'],
    ['a command without --serve', ['--config', 'a.json', ...COMMAND], 'needs --serve'],
    ['a plan without --serve', ['--config', 'a.json', '--plan', '{}'], '--plan needs --serve'],
    ['neither', [], '--config FILE is required, or --serve'],
    ['a shell that is not named', [...SERVE, '--shell', ' ', ...COMMAND], '--shell is empty'],
    [
      'a shell that does not exist',
      [...SERVE, '--shell', 'nosuchshell -x', ...COMMAND],
      '--shell: there is no program nosuchshell on PATH',
    ],
    [
      'a shell that does not exist, with a configuration',
      ['--config', '-', '--shell', '/nowhere/sh'],
      '--shell: there is no program /nowhere/sh: name a shell',
    ],
    ['a shell that is a folder', [...SERVE, '--shell', '/bin', ...COMMAND], '--shell: there is no program /bin:'],
    ['a health address that is none', [...SERVE, '--health-address', 'here', ...COMMAND], 'expected HOST:PORT'],
  ])('`lintel-bridge --serve` fails to start with %s', async (_, args, message) => {
    const program = bridge(args);
    expect(await program.exitCode()).toBe(2);
    expect(program.stderr.text).toContain(message);
  });

  test('`lintel-bridge --serve --shell` starts the server by a shell command of several words', async () => {
    const program = bridge([...SERVE, '--shell', '/usr/bin/env  sh', ...COMMAND], {
      env: { LINTEL_BRIDGE_TOKEN: TOKEN },
    });
    const { url } = await program.announcement<Listening>();
    await using peer = await connect(`${url}/mcp/peer/mcp`);
    expect((await peer.client.listTools()).tools.length).toBeGreaterThan(0);
  });
});
