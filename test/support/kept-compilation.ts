/** Node keeps what it compiled when a process ends by itself. Workers do not: Vitest ends them by a signal. */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
