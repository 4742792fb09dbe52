import { executionAsyncResource } from 'node:async_hooks';
import { IS_TUNED } from './is-tuned.ts';

const pinned: object[] = [];

/**
 * Keeps one of the objects that Node creates for `process.nextTick`; a tool call creates six of them. If no such object exists when V8 collects garbage
 * to save memory, V8 drops their hidden class. From then on V8 creates these objects several times slower, which costs 4 µs of each call until the
 * process ends.
 */
export function pinTickObjects(): void {
  if (IS_TUNED) process.nextTick(() => pinned.push(executionAsyncResource()));
}
