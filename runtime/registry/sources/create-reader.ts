import { join } from 'node:path';
import type { PrivateDenial, RegistrySourcePlan } from '#schemas';
import { createHttpClient, type HttpClient } from '../../http/client.ts';
import { createApiReader } from './read-api.ts';
import { createFileReader } from './read-file.ts';
import { createGitReader } from './read-git.ts';
import { createUrlReader } from './read-url.ts';
import type { Reader } from './reading.ts';

/**
 * Creates the reader of a source that is not part of the bundle.
 *
 * @param stateDir the folder for data that outlives a restart; undefined if nothing is stored
 * @param denial refuses private addresses of upstreams over HTTP; Git opens its own connections
 */
export function createReader(
  { name, from, filter }: RegistrySourcePlan,
  stateDir: string | undefined,
  denial: PrivateDenial | undefined,
): Reader {
  switch (from.type) {
    case 'file':
      return createFileReader(from.path, filter);
    case 'git':
      return createGitReader(from, filter, stateDir === undefined ? undefined : join(stateDir, 'git'));
    case 'url':
      return createHttpReader(client => createUrlReader(client, from, filter), denial);
    case 'api':
      return createHttpReader(client => createApiReader(client, from, filter), denial);
    case 'bundled':
      throw new TypeError(`source ${name} needs no reader, because its entries are in the bundle`);
  }
}

/**
 * Each reading creates its own HTTP client. A proxy would close a connection that is idle between two readings, and the second reading would then
 * fail.
 *
 * The author of the configuration chooses the addresses, as for backends, unless the operator denies private ones: many upstreams are
 * inside of the same network. An upstream cannot choose an address: redirects stay within its origin, and cursors within its path.
 */
function createHttpReader(open: (client: HttpClient) => Reader, denial: PrivateDenial | undefined): Reader {
  return async (mark, signal) => {
    const client = createHttpClient({ addresses: 'any', denial, connections: 1 });
    try {
      return await open(client)(mark, signal);
    } finally {
      await client.close();
    }
  };
}
