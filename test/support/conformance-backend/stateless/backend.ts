/** The server of the revision without sessions: 2026-07-28. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type ConformanceBackend, serveFetch } from '../serve-fetch.ts';
import { Changes } from './changes.ts';
import { statelessServer } from './server.ts';

/** Starts it on a free loopback port; `await using` stops it. Older revisions are refused. */
export function startStatelessBackend(): Promise<ConformanceBackend> {
  const changes = new Changes();
  const handler = createMcpHandler(() => statelessServer(changes), { legacy: 'reject' });
  changes.notifier = handler.notify;
  return serveFetch(handler.fetch, handler.close);
}
