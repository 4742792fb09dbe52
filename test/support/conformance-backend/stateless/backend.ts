/** The server for the stateless revision: 2026-07-28. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type ConformanceBackend, type FetchHandler, serveFetch } from '../serve-fetch.ts';
import { Changes } from './changes.ts';
import { statelessServer } from './server.ts';

/** Starts the server on a free loopback port; `await using` stops it. It refuses older revisions. */
export function startStatelessBackend(): Promise<ConformanceBackend> {
  const { fetch, close } = statelessHandler();
  return serveFetch(fetch, close);
}

/** The server as a handler of requests, without a port. */
export function statelessHandler(): { readonly fetch: FetchHandler; readonly close: () => Promise<void> } {
  const changes = new Changes();
  const handler = createMcpHandler(() => statelessServer(changes), { legacy: 'reject' });
  changes.notifier = handler.notify;
  return { fetch: handler.fetch, close: handler.close };
}
