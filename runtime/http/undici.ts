/**
 * The HTTP client library, as far as we use it. Its root also loads web sockets, caches, mocks and fetch, which make the
 * runtime's one file more than half as large again, so the parts are taken by path. The version is pinned.
 */
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export type { Dispatcher } from 'undici';
export { buildConnector, errors, Pool };
