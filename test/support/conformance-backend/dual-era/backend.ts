/** The server of all revisions: version 2 of the SDK separates session requests from stateless ones, as in its guide. */
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { type ConformanceBackend, serveFetch } from '../serve-fetch.ts';
import { sessionsHandler } from '../sessions/backend.ts';
import { statelessHandler } from '../stateless/backend.ts';

/** Starts it on a free loopback port; `await using` stops it. */
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
