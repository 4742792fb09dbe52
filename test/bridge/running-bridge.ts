/** `lintel-bridge` as a process, with servers of this folder. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { StdioPlan } from '#schemas';
import {
  PROGRAM,
  type ProcessOptions,
  type Program,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../support/process.ts';

export const TOKEN = 'tok-of-the-bridge';

export const PEER: string = join(import.meta.dirname, 'servers', 'sdk-server.mjs');
export const PLAIN: string = join(import.meta.dirname, 'servers', 'plain.mjs');

export function plan(script: string, changes: Partial<StdioPlan> = {}): StdioPlan {
  return {
    command: process.execPath,
    args: [script],
    workingDir: null,
    env: [],
    inheritEnv: [],
    isShared: false,
    maxProcesses: 16,
    startTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    maxMemoryBytes: 2 ** 32,
    ...changes,
  };
}

export interface RunningBridge extends AsyncDisposable {
  readonly program: Program;
  readonly url: string;
  urlOf(name: string): string;
}

/** @param servers by name, in the namespace `default` */
export async function startBridge(
  servers: Readonly<Record<string, StdioPlan>>,
  { env, ...options }: ProcessOptions = {},
): Promise<RunningBridge> {
  const folder: TemporaryFolder = await temporaryFolder({
    'bridge.json': JSON.stringify({
      servers: Object.fromEntries(Object.entries(servers).map(([name, one]) => [`default/${name}`, one])),
    }),
  });
  const args = ['--config', folder.file('bridge.json'), '--port', '0'];
  const program = start(PROGRAM.bridge, args, { ...options, env: { LINTEL_BRIDGE_TOKEN: TOKEN, ...env } });
  const { url } = await program.announcement<{ url: string }>();
  return {
    program,
    url,
    urlOf: name => `${url}/default/${name}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export async function connect(url: string, client: Client = new Client({ name: 'test', version: '1' })) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { 'lintel-bridge-token': TOKEN } },
  });
  await client.connect(transport as never);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** The text of a tool's result. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return text;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
