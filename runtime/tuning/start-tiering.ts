/**
 * Postpones V8's optimization. This must be the first import of the program, because V8 would already optimize code that other modules run while they
 * load. Node's own modules are imported first: once a flag is changed, V8 discards the compiled code that Node ships with, and compiling it again takes
 * a sixth of the start.
 */
import 'node:assert';
import 'node:crypto';
import 'node:fs/promises';
import 'node:http';
import 'node:perf_hooks';
import 'node:timers/promises';
import 'node:tls';
import 'node:worker_threads';
import { IS_TUNED } from './is-tuned.ts';
import { putOffOptimizing } from './v8-tiering.ts';

if (IS_TUNED) putOffOptimizing();
