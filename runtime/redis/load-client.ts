/** Loads `ioredis`. Called only for a bundle that names a Redis; in `dist/` it is a file next to the executable. */
import { createRequire } from 'node:module';

export type RedisClientModule = typeof import('ioredis');

export function loadClient(): RedisClientModule {
  // The bundler recognizes a call of the name `require`; outside of a bundle an ES module has no `require`.
  return typeof require === 'function' ? require('ioredis') : createRequire(import.meta.url)('ioredis');
}
