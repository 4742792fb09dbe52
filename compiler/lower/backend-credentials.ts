/** The backends of one gateway with their credentials, and the backends that had to be omitted. */
import type { BackendPlan, VirtualMCPServerSpec } from '#schemas';
import type { CredentialLocation } from '../analysis/lowered-gateway.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import type { GroupMember, OutgoingAuth } from './outgoing-auth.ts';

export interface BackendCredentials {
  readonly reachable: readonly (BackendAddress & Pick<BackendPlan, 'auth'>)[];
  /** Backends whose credential cannot be determined; the reason continues the sentence "its credential is not a static header: …". */
  readonly leftOut: readonly { readonly address: BackendAddress; readonly reason: string }[];
  /** The location that chooses each backend's credential; null when none does. */
  readonly credentialLocations: ReadonlyMap<string, CredentialLocation | null>;
}

export function lowerCredentials(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  outgoing: OutgoingAuth,
  backends: readonly BackendAddress[],
  origins: ReadonlyMap<string, BackendOrigin>,
): BackendCredentials {
  const reachable: (BackendAddress & Pick<BackendPlan, 'auth'>)[] = [];
  const leftOut: { readonly address: BackendAddress; readonly reason: string }[] = [];
  const credentialLocations = new Map<string, CredentialLocation | null>();
  for (const address of backends) {
    const { name } = address;
    // A program has no headers for a credential, only an environment.
    if (address.stdio !== undefined) {
      reachable.push({ ...address, auth: { type: 'unauthenticated' } });
      credentialLocations.set(name, null);
      continue;
    }
    const described = origins.get(name)?.resource;
    const workload = described === gateway ? undefined : (described as GroupMember | undefined);
    const auth = outgoing.lowerAuth(name, workload);
    if (workload !== undefined) readOwnReference(context, gateway, workload, auth.usesOwn);
    if (auth.plan === null) {
      leftOut.push({ address, reason: auth.reason });
    } else {
      reachable.push({ ...address, auth: auth.plan });
      credentialLocations.set(name, auth.location);
    }
  }
  return { reachable, leftOut, credentialLocations };
}

/**
 * Reads or ignores the credential reference of an MCPServerEntry, which only the gateway uses. The proxy of an MCPServer or MCPRemoteProxy uses its
 * reference itself, so that reference is never ignored.
 */
function readOwnReference(context: LoweringContext, gateway: Resource, workload: GroupMember, isUsed: boolean): void {
  if (workload.kind !== 'MCPServerEntry') return;
  const spec = context.track(workload);
  if (isUsed) spec.get('externalAuthConfigRef');
  else spec.ignore('externalAuthConfigRef', `outgoingAuth of VirtualMCPServer "${gateway.name}" decides otherwise`);
}
