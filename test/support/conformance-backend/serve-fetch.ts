/** Serves a handler of web-standard requests on a loopback port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { hostHeaderValidationResponse, localhostAllowedHostnames } from '@modelcontextprotocol/server';

export type FetchHandler = (request: Request) => Promise<Response>;

export interface ConformanceBackend extends AsyncDisposable {
  readonly url: string;
}

/** Serves on a free port. Requests with another host name are refused, as a guard against DNS rebinding. */
export async function serveFetch(handle: FetchHandler, stop: () => Promise<void>): Promise<ConformanceBackend> {
  const http = createServer((incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      await stop();
      const closed = new Promise<void>(resolve => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}

async function answer(handle: FetchHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const request = await webRequest(incoming, gone.signal);
  const response = hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? (await handle(request));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
}

async function webRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] as string, incoming.rawHeaders[at + 1] as string);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  const method = incoming.method ?? 'GET';
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, body, signal });
}
