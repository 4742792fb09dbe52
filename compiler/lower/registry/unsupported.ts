import type { RegistryConfig } from '#schemas';
import { refuseWhenEnabled } from '../switches.ts';
import type { Tracked } from '../tracked.ts';

/** Sections that say how another server runs: one without meaning here, and one that this version does not act on. */
export function refuseOperations(root: Tracked<RegistryConfig>): void {
  root.ignore('database', 'this server is fed from Git and from other registries, and keeps nothing in a database');
  refuseWhenEnabled(root.child('telemetry'), 'telemetry');
}
