/**
 * Resolves incoming authentication and its policies: `spec.incomingAuth`, otherwise `config.incomingAuth`, in one form. All code that needs
 * one of them uses this file.
 */
import type { AuthzConfig, ConfigOidc, MCPOIDCConfig, OidcConfigRef, VirtualMCPServerSpec } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Inventory, Resource } from './inventory.ts';

export interface ChosenIncomingAuth {
  readonly type: 'anonymous' | 'local' | 'oidc';
  /** The path of the block that applies. */
  readonly path: Path;
  /** Undefined unless the type is `oidc`, and when its settings are missing, which is a finding. */
  readonly oidc: ChosenOidc | undefined;
  /** Undefined: every admitted caller may do everything. */
  readonly policies: ChosenPolicies | undefined;
}

export type ChosenOidc =
  | { readonly type: 'reference'; readonly ref: OidcConfigRef; readonly path: Path }
  | { readonly type: 'inline'; readonly oidc: ConfigOidc; readonly path: Path };

/** The location of policies, and the gateway's own settings for them. */
export type ChosenPolicies =
  | InlinePolicies
  | {
      readonly type: 'configMap';
      readonly name: string;
      readonly key: string;
      readonly claims: EntityClaims;
      readonly path: Path;
    }
  | { readonly type: 'shared'; readonly name: string; readonly path: Path };

export interface InlinePolicies {
  readonly type: 'inline';
  readonly policies: readonly string[];
  readonly entitiesJson: string | undefined;
  readonly primaryUpstreamProvider: string | undefined;
  readonly claims: EntityClaims;
  /** The path of the field with the policies. `holder` is the path of the object with all other members, except `claims`. */
  readonly path: Path;
  readonly holder: Path;
}

export type EntityClaims = Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'>;

/** Default key of a policy document in a ConfigMap. */
const DEFAULT_KEY = 'authz.json';

/** @param spec valid under its schema, with one of the two blocks */
export function chooseIncomingAuth(spec: VirtualMCPServerSpec): ChosenIncomingAuth {
  const chosen = fromSpec(spec) ?? fromConfig(spec);
  if (chosen === undefined) throw new Error('a gateway without incomingAuth passed the rules of its schema');
  return chosen;
}

/** `config.incomingAuth`, when `spec.incomingAuth` exists as well and takes precedence. */
export function findOverruledIncomingAuth(spec: VirtualMCPServerSpec): ChosenIncomingAuth | undefined {
  return spec.incomingAuth === undefined ? undefined : fromConfig(spec);
}

function fromSpec({ incomingAuth }: VirtualMCPServerSpec): ChosenIncomingAuth | undefined {
  if (incomingAuth === undefined) return undefined;
  const { type, oidcConfigRef, authzConfig, authzConfigRef } = incomingAuth;
  const path = ['spec', 'incomingAuth'];
  return {
    type,
    path,
    oidc:
      type === 'oidc' && oidcConfigRef !== undefined
        ? { type: 'reference', ref: oidcConfigRef, path: [...path, 'oidcConfigRef'] }
        : undefined,
    policies:
      authzConfigRef === undefined
        ? authzConfig && choosePolicies(authzConfig, [...path, 'authzConfig'])
        : { type: 'shared', name: authzConfigRef.name, path: [...path, 'authzConfigRef'] },
  };
}

/** The policies of an `authzConfig`, a field that other kinds have as well. */
export function choosePolicies(authzConfig: AuthzConfig, path: Path): ChosenPolicies | undefined {
  const { type, configMap, inline } = authzConfig;
  if (type === 'configMap') {
    if (configMap === undefined) return undefined;
    const { name, key = DEFAULT_KEY } = configMap;
    return { type: 'configMap', name, key, claims: authzConfig, path };
  }
  if (inline === undefined) return undefined;
  const { policies, entitiesJson, primaryUpstreamProvider } = inline;
  return {
    type: 'inline',
    policies,
    entitiesJson,
    primaryUpstreamProvider,
    claims: authzConfig,
    path,
    holder: [...path, 'inline'],
  };
}

function fromConfig({ config }: VirtualMCPServerSpec): ChosenIncomingAuth | undefined {
  const incomingAuth = config?.incomingAuth;
  if (incomingAuth === undefined) return undefined;
  const { type, oidc, authz } = incomingAuth;
  const path = ['spec', 'config', 'incomingAuth'];
  const authzPath = [...path, 'authz'];
  return {
    type,
    path,
    oidc: type === 'oidc' && oidc !== undefined ? { type: 'inline', oidc, path: [...path, 'oidc'] } : undefined,
    policies:
      authz?.type === 'cedar'
        ? {
            type: 'inline',
            policies: authz.policies ?? [],
            entitiesJson: authz.entitiesJson,
            primaryUpstreamProvider: authz.primaryUpstreamProvider,
            claims: authz,
            path: authzPath,
            holder: authzPath,
          }
        : undefined,
  };
}

/** The required `aud` of a token. */
export function getAudience(oidc: ChosenOidc): string {
  return oidc.type === 'reference' ? oidc.ref.audience : oidc.oidc.audience;
}

/** The required `iss` of a token; undefined when the MCPOIDCConfig is not in the sources. */
export function findIssuer(oidc: ChosenOidc, namespace: string, inventory: Inventory): string | undefined {
  if (oidc.type === 'inline') return oidc.oidc.issuer;
  return findIssuerOfConfig(inventory.find<OidcConfigSpec>('MCPOIDCConfig', namespace, oidc.ref.name));
}

export type OidcConfigSpec = NonNullable<MCPOIDCConfig['spec']>;

export function findIssuerOfConfig(config: Resource<OidcConfigSpec> | undefined): string | undefined {
  const { type, inline, kubernetesServiceAccount } = config?.spec ?? {};
  return type === 'inline' ? inline?.issuer : kubernetesServiceAccount?.issuer;
}
