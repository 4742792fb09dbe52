import { type RegistryBundle, VERSION } from '#schemas';
import type { ProviderStatus } from '../auth/incoming/authenticator.ts';
import type { BundleState } from '../bundle/active-bundle.ts';
import type { AuditStatus } from '../observe/audit/audit-log.ts';
import type { StartOptions } from '../observe/start-options.ts';
import type { SourceStatus } from './snapshot.ts';

/** The contents of `/status` of a registry server. */
export interface RegistryStatusPage {
  readonly registry: { readonly namespace: string; readonly name: string };
  readonly version: string;
  readonly bundle: BundleState & { readonly sourceRevision: string | null; readonly compilerVersion: string };
  readonly options: StartOptions;
  readonly ready: boolean;
  /** In the order of the configuration. */
  readonly registries: readonly { readonly name: string; readonly sources: readonly string[] }[];
  readonly sources: readonly SourceStatus[];
  /** Absent when the server records nothing. */
  readonly audit?: AuditStatus;
  readonly authentication: { readonly mode: 'anonymous' | 'oauth'; readonly providers: readonly ProviderStatus[] };
  readonly authorization: {
    readonly type: 'none' | 'authenticated' | 'claims';
    /** Number of rules that give roles to callers. */
    readonly ruleCount: number;
  };
}

export function buildRegistryStatusPage(
  { namespace, name, origin, auth, authorization, registries }: RegistryBundle,
  options: StartOptions,
  { digest, refused, staleSecurity }: BundleState,
  {
    ready,
    sources,
    providers,
  }: {
    readonly ready: boolean;
    readonly sources: readonly SourceStatus[];
    readonly providers: readonly ProviderStatus[];
  },
  audit?: AuditStatus,
): RegistryStatusPage {
  const { sourceRevision, compilerVersion } = origin;
  return {
    registry: { namespace, name },
    version: VERSION,
    bundle: { digest, sourceRevision, compilerVersion, refused, staleSecurity },
    options,
    ready,
    registries: registries.map(({ name: registry, sources: shown }) => ({ name: registry, sources: shown })),
    sources,
    ...(audit && { audit }),
    authentication: { mode: auth.mode, providers },
    authorization: {
      type: authorization.type,
      ruleCount: authorization.type === 'claims' ? authorization.ruleCount : 0,
    },
  };
}
