/**
 * The parts of the HTTP client library that the runtime uses. The library's root also loads web sockets, caches, mocks and fetch, which would
 * make the runtime's one file more than half as large again, so the parts are imported by path. The version is pinned.
 */
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export type { Dispatcher } from 'undici';
export { buildConnector, errors, Pool };
