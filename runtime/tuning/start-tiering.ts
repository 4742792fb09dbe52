/**
 * Must be the first import of the program, because code that other modules run while they load would already be optimized. Node's own modules
 * are imported before it: once a flag is changed, V8 discards the compiled code that Node ships with, and compiling it again takes a sixth of a
 * start.
 */
import 'node:assert';
import 'node:crypto';
import 'node:fs/promises';
import 'node:http';
import 'node:perf_hooks';
import 'node:timers/promises';
import 'node:tls';
import 'node:worker_threads';
import { putOffOptimizing } from './v8-tiering.ts';

putOffOptimizing();
