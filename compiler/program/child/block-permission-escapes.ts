import os from 'node:os';
import { resolve } from 'node:path';
import traceEvents from 'node:trace_events';
import v8 from 'node:v8';

/**
 * Blocks operations that Node's permission model does not cover: files that Node writes itself, and signals to other processes, such as the
 * parent. `--no-experimental-sqlite` blocks databases, see `run-process.ts`.
 */
export function blockPermissionEscapes(): void {
  refuse(traceEvents, 'createTracing', 'FileSystemWrite', resolve('node_trace.1.log'));
  refuse(v8, 'setHeapSnapshotNearHeapLimit', 'FileSystemWrite', resolve('Heap.heapsnapshot'));
  limitToItself(process, 'kill', 'signals to other processes');
  limitToItself(os, 'setPriority', 'priorities of other processes');
}

function refuse(target: object, name: string, permission: string, resource: string): void {
  replace(target, name, () => {
    throw createDeniedError(permission, resource);
  });
}

/** Makes a function accept only the number of this process. Zero and negative numbers address process groups, which include the parent. */
function limitToItself(target: object, name: string, permission: string): void {
  const { [name]: original } = target as Record<string, (...parameters: unknown[]) => unknown>;
  replace(target, name, (pid: unknown, ...parameters: unknown[]) => {
    if (pid !== process.pid) throw createDeniedError(permission, '');
    return original?.call(target, pid, ...parameters);
  });
}

function replace(target: object, name: string, value: (...parameters: unknown[]) => unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

/** The error that Node's permission model throws. */
function createDeniedError(permission: string, resource: string): Error {
  const error = new Error('Access to this API has been restricted');
  return Object.assign(error, { code: 'ERR_ACCESS_DENIED', permission, resource });
}
