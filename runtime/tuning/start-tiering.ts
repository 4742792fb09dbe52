/**
 * The first module of the program: what the others do as they are loaded would get functions optimized already. Before it, what they
 * want of Node: a changed flag makes V8 compile again what Node brings compiled, which is a sixth of a start.
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
