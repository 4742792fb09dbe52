import type { RegistrySourcePlan } from '#schemas';
import { createHttpClient } from '../../http/client.ts';
import { apiReader } from './read-api.ts';
import { fileReader } from './read-file.ts';
import { gitReader } from './read-git.ts';
import { urlReader } from './read-url.ts';
import type { Reader } from './reading.ts';

/** A reader with what it holds open. */
export interface OpenReader {
  readonly read: Reader;
  close(): Promise<void>;
}

/** The reader of a source that is not part of the bundle. */
export function openReader({ name, from, filter }: RegistrySourcePlan): OpenReader {
  switch (from.type) {
    case 'file':
      return { read: fileReader(from.path, filter), close: async () => {} };
    case 'git':
      return { read: gitReader(from, filter), close: async () => {} };
    case 'url':
    case 'api': {
      // Who writes the configuration chooses its sources, as it is with backends: many lie inside of the same network. An
      // upstream cannot choose: redirects stay within its origin, and cursors within its path.
      const client = createHttpClient({ addresses: 'any', connections: 1 });
      const read = from.type === 'url' ? urlReader(client, from, filter) : apiReader(client, from, filter);
      return { read, close: () => client.close() };
    }
    case 'bundled':
      throw new TypeError(`source ${name} is part of the bundle`);
  }
}
