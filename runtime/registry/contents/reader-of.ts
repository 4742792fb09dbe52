import { join } from 'node:path';
import type { RegistrySourcePlan } from '#schemas';
import { createHttpClient, type HttpClient } from '../../http/client.ts';
import { apiReader } from './read-api.ts';
import { fileReader } from './read-file.ts';
import { gitReader } from './read-git.ts';
import { urlReader } from './read-url.ts';
import type { Reader } from './reading.ts';

/**
 * The reader of a source that is not part of the bundle.
 *
 * @param stateDir where last good entries are kept; undefined: nowhere
 */
export function readerOf({ name, from, filter }: RegistrySourcePlan, stateDir: string | undefined): Reader {
  switch (from.type) {
    case 'file':
      return fileReader(from.path, filter);
    case 'git':
      return gitReader(from, filter, stateDir === undefined ? undefined : join(stateDir, 'git'));
    case 'url':
      return overHttp(client => urlReader(client, from, filter));
    case 'api':
      return overHttp(client => apiReader(client, from, filter));
    case 'bundled':
      throw new TypeError(`source ${name} is part of the bundle`);
  }
}

/**
 * A client for each reading: what is idle for an interval would be closed on the way by then, and fail the next one.
 *
 * Who writes the configuration chooses the addresses, as it is with backends: many upstreams lie inside of the same network. An
 * upstream chooses none: redirects stay within its origin, and cursors within its path.
 */
function overHttp(open: (client: HttpClient) => Reader): Reader {
  return async (mark, signal) => {
    const client = createHttpClient({ addresses: 'any', connections: 1 });
    try {
      return await open(client)(mark, signal);
    } finally {
      await client.close();
    }
  };
}
