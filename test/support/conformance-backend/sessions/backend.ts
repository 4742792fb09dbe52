/** The server for the revisions with sessions: up to 2025-11-25. */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type ConformanceBackend, type FetchHandler, serveFetch } from '../serve-fetch.ts';
import { MemoryEventStore } from './event-store.ts';
import { sessionServer } from './server.ts';

/** How long a client waits before it reopens a closed stream; milliseconds. */
const RETRY_MS = 100;

type Transport = WebStandardStreamableHTTPServerTransport;

/** Starts the server on a free loopback port; `await using` stops it. */
export function startSessionsBackend(): Promise<ConformanceBackend> {
  const { fetch, close } = sessionsHandler();
  return serveFetch(fetch, close);
}

/** The server as a handler of requests, without a port. */
export function sessionsHandler(): { readonly fetch: FetchHandler; readonly close: () => Promise<void> } {
  const sessions = new Map<string, Transport>();
  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) return (await openSession(sessions)).handleRequest(request);
      const session = sessions.get(id);
      if (session === undefined) return new Response('Session not found', { status: 404 });
      return session.handleRequest(request);
    },
    async close() {
      await Promise.all([...sessions.values()].map(session => session.close()));
    },
  };
}

async function openSession(sessions: Map<string, Transport>): Promise<Transport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new MemoryEventStore(),
    retryInterval: RETRY_MS,
    onsessioninitialized: id => {
      sessions.set(id, transport);
    },
    onsessionclosed: id => {
      sessions.delete(id);
    },
  });
  // The SDK's types are written without `exactOptionalPropertyTypes`.
  await sessionServer().connect(transport as never);
  return transport;
}
