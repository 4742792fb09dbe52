/** The backends of the matrix: servers built with different SDKs, with everything the suite needs that their SDK supports. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startDualEraBackend } from '../../support/conformance-backend/dual-era/backend.ts';
import { startSessionsBackend } from '../../support/conformance-backend/sessions/backend.ts';
import { eventually, isListening } from '../../support/process.ts';
import { goProgram, pythonWith } from '../install.ts';
import type { Target } from '../targets.ts';

export interface Backend {
  readonly name: string;
  /** Whether the backend needs nothing besides `node_modules`. */
  readonly isOurs: boolean;
  /** @throws Missing where this machine lacks a required program */
  start(): Promise<Target>;
}

export const BACKENDS: readonly Backend[] = [
  { name: 'SDK v1, sessions', isOurs: true, start: startSessionsBackend },
  { name: 'SDK v2, dual-era', isOurs: true, start: startDualEraBackend },
  {
    name: 'FastMCP 4.2.3',
    isOurs: false,
    async start() {
      const python = await pythonWith(join(import.meta.dirname, 'fastmcp-requirements.txt'), 'fastmcp-4.2.3');
      return foreign(python, port => [join(import.meta.dirname, 'fastmcp-server.py'), String(port)]);
    },
  },
  {
    name: 'go-sdk 1.8.0, sessions',
    isOurs: false,
    start: () => goSdk('-stateless=false'),
  },
  {
    name: 'go-sdk 1.8.0, no sessions',
    isOurs: false,
    start: () => goSdk('-stateless=true'),
  },
  {
    name: 'mcp-go 1.2.1',
    isOurs: false,
    async start() {
      const program = await goProgram('github.com/mark3labs/mcp-go/examples/conformance', 'v1.2.1');
      return foreign(
        program,
        () => [],
        port => ({ CONFORMANCE_ADDR: `127.0.0.1:${port}` }),
      );
    },
  },
];

async function goSdk(mode: string): Promise<Target> {
  const program = await goProgram('github.com/modelcontextprotocol/go-sdk/conformance/everything-server', 'v1.8.0');
  return foreign(program, port => ['-http', `127.0.0.1:${port}`, mode]);
}

/** How long a server may take to listen; milliseconds. Interpreters load their packages slowly. */
const START_LIMIT_MS = 60_000;

/** A program that serves at `/mcp` on a loopback port. */
async function foreign(
  program: string,
  args: (port: number) => string[],
  env: (port: number) => { readonly [name: string]: string } = () => ({}),
): Promise<Target> {
  const port = await freePort();
  const child = spawn(program, args(port), { stdio: 'ignore', env: { ...process.env, ...env(port) } });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/mcp`;
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await eventually(() => isListening(url), START_LIMIT_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
