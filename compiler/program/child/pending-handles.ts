import { createHook } from 'node:async_hooks';
import type { PendingHandle } from './exchange.ts';
import { captureStack, parseBundleFrames } from './frames.ts';

/** Something that keeps Node alive, such as a timer. */
interface AsyncResource {
  hasRef?(): boolean;
}

/**
 * The words for asynchronous resources, by Node's names for their types.
 *
 * @see https://nodejs.org/api/async_hooks.html#type
 */
const WORDS: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  MESSAGEPORT: 'a message port or channel',
  FSEVENTWRAP: 'a watch on a file',
  STATWATCHER: 'a watch on a file',
  TCPSERVERWRAP: 'a server',
  TCPWRAP: 'a connection',
  PIPESERVERWRAP: 'a server',
  PIPEWRAP: 'a connection',
  UDPWRAP: 'a datagram socket',
};

const resources = new Map<
  number,
  { readonly type: string; readonly stack: string; readonly resource: AsyncResource }
>();

/** Tracks started and unfinished operations, with their positions. */
export function watchPendingHandles(): void {
  createHook({
    init(id, type, _trigger, resource: AsyncResource) {
      // Promises and ticks do not keep a process alive, and there are many.
      if (type in WORDS) resources.set(id, { type, stack: captureStack(), resource });
    },
    destroy(id) {
      resources.delete(id);
    },
  }).enable();
}

/** The oldest pending operation of the program that keeps its process alive. */
export function findPendingHandle(): PendingHandle | undefined {
  for (const { type, stack, resource } of resources.values()) {
    const frames = parseBundleFrames(stack);
    if (frames.length > 0 && resource.hasRef?.() === true) return { what: WORDS[type] ?? type, frames };
  }
  return undefined;
}
