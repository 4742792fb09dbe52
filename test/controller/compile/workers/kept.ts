/**
 * The compiler's own worker from its sources, with Node's compile cache of other test processes: a worker has no environment that names the
 * cache.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../../../node_modules/.cache/node-compile-cache'));
await import('../../../../controller/compile/worker.ts');
// The cache is written now, because workers end by a signal.
flushCompileCache();
