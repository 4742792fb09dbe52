/** The compiler's own worker from its sources, with what Node keeps of them for other programs of tests: a worker has no environment to say where. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../../../node_modules/.cache/node-compile-cache'));
await import('../../../../controller/compile/worker.ts');
// Workers end by a signal.
flushCompileCache();
