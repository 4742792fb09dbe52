import { executionAsyncResource } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of the objects that Node makes for `process.nextTick`; a call makes six. Where V8 collects garbage to save memory
 * while there is none of them, it forgets what they look like, and from then on it makes each in a general way that takes
 * several times as long: 4 us of a call, until the process ends.
 */
export function pinTickObjects(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
