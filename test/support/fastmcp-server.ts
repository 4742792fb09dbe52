/** A FastMCP server in a separate process: a backend of both eras that shares no code with the official TypeScript SDK. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listenOnOwnPort } from './own-port.ts';
import { eventually } from './process.ts';

/** A Python with FastMCP 4: `LINTEL_FASTMCP_PYTHON`, or `python3`. Undefined when there is none. */
export const FASTMCP: string | undefined = [process.env.LINTEL_FASTMCP_PYTHON, 'python3'].find(hasFastMcp);

function hasFastMcp(python: string | undefined): boolean {
  if (python === undefined) return false;
  const check = 'from importlib.metadata import version; assert version("fastmcp").startswith("4.")';
  return spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0;
}

export interface FastMcpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Its tools `ask` and `sample` request a name and a completion from the client. */
export async function startFastMcp(): Promise<FastMcpServer> {
  const port = await freePort();
  const script = join(import.meta.dirname, 'fastmcp-server.py');
  const child = spawn(FASTMCP as string, [script, String(port)], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/mcp`;
  await eventually(
    () =>
      fetch(url, { method: 'DELETE' }).then(
        () => true,
        () => false,
      ),
    60_000,
  );
  return {
    url,
    async close() {
      child.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listenOnOwnPort(server);
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}
