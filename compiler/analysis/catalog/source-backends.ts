/** The backends that sources mention, including backends of gateways with other errors. */
import { type BackendPlan, compareText } from '#schemas';
import type { LoweredGateway } from '../lowered-gateway.ts';
import { type Credential, resolveCredential } from './credential.ts';

export interface SourceBackend {
  /** The key in the tool lock. */
  readonly key: string;
  readonly plan: Omit<BackendPlan, 'auth'>;
  readonly credential: Credential;
  /** Whether only the gateway in the same pod can reach the backend. */
  readonly isInPod: boolean;
}

/** The backends of one gateway, sorted by name. */
export function listSourceBackends({ bundle, origins, leftOut }: LoweredGateway): readonly SourceBackend[] {
  const isFront = bundle.front !== undefined;
  const isInPod = bundle.front === 'server';
  const reachable = bundle.backends.flatMap(plan => {
    const origin = origins.get(plan.name);
    if (origin === undefined) return [];
    return [{ key: origin.key, plan, credential: resolveCredential(plan, origin.resource, isFront), isInPod }];
  });
  const others = leftOut.flatMap(({ plan, reason }) => {
    const origin = origins.get(plan.name);
    return origin === undefined
      ? []
      : [{ key: origin.key, plan, credential: { type: 'other' as const, reason }, isInPod }];
  });
  return [...reachable, ...others].sort((a, b) => compareText(a.plan.name, b.plan.name));
}

/**
 * Each backend once, sorted by key. Gateways may reach one workload differently: a description with a usable credential is preferred, then the
 * first by name.
 */
export function deduplicateBackends(all: readonly SourceBackend[]): readonly SourceBackend[] {
  const byKey = new Map<string, SourceBackend>();
  for (const backend of all) {
    const before = byKey.get(backend.key);
    const isBetter = before?.credential.type === 'other' && backend.credential.type === 'headers' && !backend.isInPod;
    if (before === undefined || isBetter || (before.isInPod && !backend.isInPod)) byKey.set(backend.key, backend);
  }
  return [...byKey.values()].sort((a, b) => compareText(a.key, b.key));
}
