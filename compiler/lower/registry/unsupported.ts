import type { RegistryConfig } from '#schemas';
import type { Tracked } from '../tracked.ts';

/** Sections that say how another server runs: one without meaning here, and two that this version does not act on. */
export function refuseOperations(root: Tracked<RegistryConfig>): void {
  root.ignore('database', 'this server is fed from Git and from other registries, and keeps nothing in a database');
  refuseWhenEnabled(root.child('telemetry'), 'telemetry');
  refuseWhenEnabled(root.child('audit'), 'audit logging');
}

/** Off is honoured, and then the rest of the block has no effect. */
function refuseWhenEnabled<T extends { readonly enabled?: boolean }>(
  block: Tracked<T> | undefined,
  feature: string,
): void {
  if (block === undefined) return;
  if (block.peek('enabled') === true) {
    block.refuse(feature);
    return;
  }
  block.get('enabled');
  block.ignoreRest('enabled is not true');
}
