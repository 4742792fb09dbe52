/** Who gets in, and by whose word they may. From the spec: a runtime that cannot do it yet does not change what is meant. */
import type { MCPOIDCConfig } from '#schemas';
import type { Authorization } from '../cedar/access.ts';
import type { GatewayModel } from '../gateway/model.ts';
import type { Authentication, AuthorizationSummary, ObjectName } from './exposure.ts';

type OidcSpec = NonNullable<MCPOIDCConfig['spec']>;

export function authenticationOf({ resource, inventory }: GatewayModel): Authentication {
  const { type, oidcConfigRef: ref } = resource.spec.incomingAuth;
  if (type === 'anonymous') return { type };
  const config = ref && inventory.find<OidcSpec>('MCPOIDCConfig', resource.namespace, ref.name);
  const issuer = config?.spec.inline?.issuer ?? config?.spec.kubernetesServiceAccount?.issuer ?? null;
  return { type, issuer, audience: ref?.audience ?? null };
}

export function authorizationSummary(
  gateway: GatewayModel,
  authorization: Authorization | undefined,
): AuthorizationSummary {
  const source = policySource(gateway);
  if (source === undefined) return { type: 'none' };
  return { type: 'cedar', policies: authorization?.policies.length ?? null, source };
}

/** Where the policies are kept; undefined when the gateway names none. */
export function policySource({ resource }: GatewayModel): ObjectName | undefined {
  const { authzConfig, authzConfigRef } = resource.spec.incomingAuth;
  if (authzConfigRef !== undefined) return { kind: 'MCPAuthzConfig', name: authzConfigRef.name };
  if (authzConfig === undefined) return undefined;
  const { configMap } = authzConfig;
  return configMap === undefined
    ? { kind: resource.kind, name: resource.name }
    : { kind: 'ConfigMap', name: configMap.name };
}
