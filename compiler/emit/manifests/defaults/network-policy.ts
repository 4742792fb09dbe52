import type { Manifest } from '../manifest.ts';
import { change, changed, each, filled } from './fill.ts';

export function fillNetworkPolicyDefaults(policy: Manifest): Manifest {
  const ports = each(filled({ protocol: 'TCP' }));
  return { ...policy, spec: change(policy.spec, { egress: each(changed({ ports })) }) };
}
