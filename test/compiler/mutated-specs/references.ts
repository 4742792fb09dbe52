/** Which places refer to something, and whether a compiler can know that it does not exist. */
import type { Path, Site } from './sites.ts';

/** Fields that name a backend of the gateway, by the end of their path; `*` is any step. */
const BACKEND_NAMES: readonly Path[] = [
  ['aggregation', 'tools', '*', 'workload'],
  ['conflictResolutionConfig', 'priorityOrder', '*'],
];

/** Maps whose keys name backends. */
const BACKEND_KEYS: readonly Path[] = [
  ['spec', 'config', 'operational', 'timeouts', 'perWorkload', '*'],
  ['spec', 'outgoingAuth', 'backends', '*'],
];

/**
 * The kind of the referenced object: `ours` must be in the sources, `core` may be in the cluster; a `repeated` name is ignored when it differs
 * from the one that it repeats.
 */
export type Target = 'ours' | 'core' | 'repeated';

/** What a place refers to; undefined if it is no reference. */
export function findTarget({ path, schema, member }: Site): Target | undefined {
  if (endsWith(path, ['spec', 'config', 'groupRef'])) return 'repeated';
  if (BACKEND_NAMES.some(end => endsWith(path, end))) return 'ours';
  const kind = schema['x-lintel-ref']?.kind;
  if (kind === undefined) return undefined;
  // With `optional: true` the object may be missing.
  if (member?.parent.get('optional') === true) return undefined;
  return kind === 'Secret' || kind === 'ConfigMap' ? 'core' : 'ours';
}

/** Whether the key at this place names a backend. */
export function isBackendKey({ path }: Site): boolean {
  return BACKEND_KEYS.some(end => endsWith(path, end));
}

function endsWith(path: Path, end: Path): boolean {
  const tail = path.slice(-end.length);
  return tail.length === end.length && end.every((step, index) => step === '*' || step === tail[index]);
}
