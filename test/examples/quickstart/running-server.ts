import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const SERVERS = path.resolve(import.meta.dirname, '../../../examples/quickstart/servers');

/** One of the example's servers as a child process on a free port, with a connected client. */
export interface RunningServer {
  readonly url: string;
  readonly client: Client;
  /** @returns the exit code after SIGTERM */
  stop(): Promise<number | null>;
}

export async function startServer(script: string, ...args: string[]): Promise<RunningServer> {
  const child: ChildProcess = spawn(process.execPath, [path.join(SERVERS, script), '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the child has no standard output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line as string) as { url: string };
  const client = new Client({ name: 'test', version: '1' });
  // The SDK's types disagree with exactOptionalPropertyTypes about `sessionId`.
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<Client['connect']>[0]);
  return {
    url,
    client,
    stop: async () => {
      await client.close();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await exited;
      return code as number | null;
    },
  };
}
