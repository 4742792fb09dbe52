/** One gateway with several processes, and clients that open a new connection for each request. */
import { Agent, request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TreeStatusPage } from '../../../runtime/workers/merge-status.ts';
import type { BundleOptions } from '../../support/gateway.ts';
import { BundleFile, startGatewayProgram } from '../../support/gateway-program.ts';
import type { Program } from '../../support/process.ts';

export interface Tree extends AsyncDisposable {
  readonly url: string;
  readonly internalUrl: string;
  readonly program: Program;
  status(): Promise<TreeStatusPage>;
  /** Replaces the bundle at the watched path. */
  replace(options: BundleOptions): Promise<void>;
  replaceBy(text: string): Promise<void>;
  /** An official SDK client, connected. */
  connect(client?: Client): Promise<Client>;
  /** Kills a worker like a machine failure. */
  kill(worker: number): Promise<void>;
}

export async function startTree(
  options: BundleOptions,
  workers = 2,
  env: Readonly<Record<string, string>> = {},
): Promise<Tree> {
  const stack = new AsyncDisposableStack();
  const bundle = stack.use(await BundleFile.write(options));
  const { url, internalUrl, program } = await startGatewayProgram(stack, bundle, {
    options: ['--workers', String(workers)],
    env,
  });
  const status = async () => (await (await fetch(`${internalUrl}/status`)).json()) as TreeStatusPage;
  return {
    url,
    internalUrl,
    program,
    status,
    replaceBy: text => bundle.replaceBy(text),
    replace: next => bundle.replace(next),
    connect: async (client = new Client({ name: 'test', version: '1' })) => {
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: oneConnection }));
      return client;
    },
    kill: async worker => {
      const { pid } = (await status()).workers.find(entry => entry.worker === worker) as { pid: number };
      process.kill(pid, 'SIGKILL');
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Like `fetch`, over a connection that nothing else uses: the primary passes it to the next worker. */
export function oneConnection(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const agent = new Agent({ keepAlive: false });
  const { signal } = init;
  const req = request(url, { method: init.method ?? 'GET', headers, agent, ...(signal ? { signal } : {}) }, res => {
    const body = new ReadableStream<Uint8Array>({
      start: controller => {
        res.on('data', (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)));
        res.on('end', () => controller.close());
        res.on('error', error => {
          try {
            controller.error(error);
          } catch {
            // It has exited already.
          }
        });
      },
      cancel: () => void res.destroy(),
    });
    const status = res.statusCode ?? 500;
    const isEmpty = status === 202 || status === 204;
    resolve(new Response(isEmpty ? null : body, { status, headers: res.headers as Record<string, string> }));
    if (isEmpty) res.resume();
  });
  req.on('error', reject);
  req.end(init.body ?? undefined);
  return promise;
}
