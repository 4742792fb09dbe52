/**
 * Who gets into a gateway, and whose policies say what they may do: `spec.incomingAuth`, else `config.incomingAuth`, in one
 * form. Whatever asks for either asks here.
 */
import type { AuthzConfig, ConfigOidc, MCPOIDCConfig, OidcConfigRef, VirtualMCPServerSpec } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Inventory, Resource } from './inventory.ts';

export interface ChosenIncomingAuth {
  readonly type: 'anonymous' | 'local' | 'oidc';
  /** The path of the block that decides. */
  readonly path: Path;
  /** Undefined unless the type is `oidc`, and where that lacks its settings, which is a finding. */
  readonly oidc: ChosenOidc | undefined;
  /** Undefined: every admitted caller may do everything. */
  readonly policies: ChosenPolicies | undefined;
}

export type ChosenOidc =
  | { readonly type: 'reference'; readonly ref: OidcConfigRef; readonly path: Path }
  | { readonly type: 'inline'; readonly oidc: ConfigOidc; readonly path: Path };

/** Where policies are kept, and what the gateway says next to them. */
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
  /** The path of the field with the policies that read it; what is named above except `claims` stands in `holder`. */
  readonly path: Path;
  readonly holder: Path;
}

export type EntityClaims = Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'>;

/** Key of a policy document in a ConfigMap when the reference names none. */
const DEFAULT_KEY = 'authz.json';

/** @param spec passed the rules of its schema: it has one of the two */
export function chosenIncomingAuth(spec: VirtualMCPServerSpec): ChosenIncomingAuth {
  const chosen = fromSpec(spec) ?? fromConfig(spec);
  if (chosen === undefined) throw new Error('a gateway without incomingAuth passed the rules of its schema');
  return chosen;
}

/** `config.incomingAuth` where `spec.incomingAuth` is there as well and decides. */
export function overruledIncomingAuth(spec: VirtualMCPServerSpec): ChosenIncomingAuth | undefined {
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

/** The policies of an `authzConfig`, which other kinds have as well. */
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
  const place = [...path, 'authz'];
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
            path: place,
            holder: place,
          }
        : undefined,
  };
}

/** `aud` of an accepted token. */
export function getAudience(oidc: ChosenOidc): string {
  return oidc.type === 'reference' ? oidc.ref.audience : oidc.oidc.audience;
}

/** `iss` of an accepted token; undefined where the MCPOIDCConfig is not in the sources. */
export function findIssuer(oidc: ChosenOidc, namespace: string, inventory: Inventory): string | undefined {
  if (oidc.type === 'inline') return oidc.oidc.issuer;
  return issuerOfConfig(inventory.find<OidcConfigSpec>('MCPOIDCConfig', namespace, oidc.ref.name));
}

export type OidcConfigSpec = NonNullable<MCPOIDCConfig['spec']>;

export function issuerOfConfig(config: Resource<OidcConfigSpec> | undefined): string | undefined {
  const { type, inline, kubernetesServiceAccount } = config?.spec ?? {};
  return type === 'inline' ? inline?.issuer : kubernetesServiceAccount?.issuer;
}
