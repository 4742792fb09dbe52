/** The server for all revisions: it separates session requests from stateless ones as the guide of the SDK's version 2 recommends. */
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { type ConformanceBackend, serveFetch } from '../serve-fetch.ts';
import { sessionsHandler } from '../sessions/backend.ts';
import { statelessHandler } from '../stateless/backend.ts';

/** Starts the server on a free loopback port; `await using` stops it. */
export function startDualEraBackend(): Promise<ConformanceBackend> {
  const sessions = sessionsHandler();
  const stateless = statelessHandler();
  return serveFetch(
    async request => ((await isLegacyRequest(request)) ? sessions.fetch(request) : stateless.fetch(request)),
    async () => {
      await Promise.all([sessions.close(), stateless.close()]);
    },
  );
}
