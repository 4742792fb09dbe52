/** Which credential goes to which backend. Today's runtime sends none: whatever needs one is refused by name. */
import type {
  BackendAuth,
  ConfigOutgoingAuth,
  ExternalAuthConfigRef,
  GatewayConfig,
  MCPExternalAuthConfigSpec,
  OutgoingAuth as OutgoingAuthSpec,
  VirtualMCPServerSpec,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';
import type { Tracked } from './tracked.ts';

export interface OutgoingAuth {
  /** `inline`: the backends of the spec and of the group; `discovered`: those of the group alone. */
  readonly source: 'inline' | 'discovered';
  /** Backends for which the gateway's own spec decides, whatever the workload refers to. */
  readonly overrides: ReadonlySet<string>;
  /** Where the spec names backends, for checking that they exist. */
  readonly named: readonly { readonly backend: string; readonly path: Path }[];
}

export function lowerOutgoingAuth(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): OutgoingAuth {
  const chosen = spec.child('outgoingAuth');
  if (chosen !== undefined) {
    config?.ignore('outgoingAuth', 'spec.outgoingAuth takes precedence');
    return lowerReferences(context, gateway, chosen);
  }
  const fallback = config?.child('outgoingAuth');
  return fallback === undefined ? { source: 'discovered', overrides: new Set(), named: [] } : lowerStrategies(fallback);
}

/** `spec.outgoingAuth`: references to MCPExternalAuthConfigs. */
function lowerReferences(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  auth: Tracked<OutgoingAuthSpec>,
): OutgoingAuth {
  const fallback = auth.child('default');
  const backends = auth.entries('backends');
  if (fallback !== undefined) lowerReference(context, gateway, fallback);
  for (const [, entry] of backends) lowerReference(context, gateway, entry);
  const decided = backends.filter(([, entry]) => entry.peek('type') !== 'discovered').map(([backend]) => backend);
  return { source: auth.get('source') ?? 'discovered', overrides: new Set(decided), named: namedIn(backends) };
}

function lowerReference(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  entry: Tracked<BackendAuth>,
): void {
  if (entry.get('type') === 'discovered') {
    entry.ignore('externalAuthConfigRef', 'type is discovered');
    return;
  }
  const ref = entry.peek('externalAuthConfigRef');
  if (ref === undefined) {
    // Without a name the backend would be contacted without a credential, whatever it refers to itself.
    const message = 'missing "externalAuthConfigRef", which the type asks for';
    context.report(gateway, 'LNT1010', entry.path, message, { at: 'key' });
    return;
  }
  const credential = unsupportedCredential(context, gateway, ref);
  if (credential === undefined) entry.get('externalAuthConfigRef');
  else entry.unsupported('externalAuthConfigRef', credential);
}

/** `config.outgoingAuth`: strategies written out. */
function lowerStrategies(auth: Tracked<ConfigOutgoingAuth>): OutgoingAuth {
  const fallback = auth.child('default');
  const backends = auth.entries('backends');
  for (const strategy of [...(fallback ? [fallback] : []), ...backends.map(([, entry]) => entry)]) {
    if (strategy.peek('type') === 'unauthenticated') {
      strategy.get('type');
      strategy.ignoreRest('type is unauthenticated');
    } else {
      strategy.refuse(`outgoing authentication by ${strategy.peek('type')}`);
    }
  }
  return { source: auth.get('source'), overrides: new Set(backends.map(([name]) => name)), named: namedIn(backends) };
}

function namedIn<T extends object>(backends: readonly (readonly [string, Tracked<T>])[]): OutgoingAuth['named'] {
  return backends.map(([backend, entry]) => ({ backend, path: entry.path }));
}

/**
 * The credential that a reference asks for, in words, unless it asks for none. The reference itself was resolved before;
 * one that leads nowhere is reported there.
 */
export function unsupportedCredential(
  context: LoweringContext,
  referrer: Resource,
  ref: ExternalAuthConfigRef | undefined,
): string | undefined {
  if (ref === undefined) return undefined;
  const config = context.inventory.find<MCPExternalAuthConfigSpec>(
    'MCPExternalAuthConfig',
    referrer.namespace,
    ref.name,
  );
  if (config === undefined || config.spec.type === 'unauthenticated') return undefined;
  return `outgoing authentication by ${config.spec.type}`;
}
