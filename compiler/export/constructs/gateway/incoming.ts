/** Incoming authentication, from `spec.incomingAuth` or `spec.config.incomingAuth`. */
import type { ConfigOidc, OidcConfigRef, VirtualMCPServerSpec } from '#schemas';
import type { GroupClaims } from '../../../cdk8s/incoming-auth/group-claims.ts';
import { Incoming } from '../../../cdk8s/incoming-auth/incoming.ts';
import { oidcAudience } from '../../../cdk8s/incoming-auth/oidc-audience.ts';
import type { WrittenOidcProps } from '../../../cdk8s/incoming-auth/written-oidc.ts';
import type { EntityClaims } from '../../../resolve/choose-incoming-auth.ts';
import type { Path } from '../../../source/source-document.ts';
import { type Code, call, method, plain } from '../../typescript/code.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitPlainValue } from '../plain-value.ts';
import { isAbsolutePath, isHttp, isHttps, isSafeUrl } from '../prop-guards.ts';
import { emitText, NO_CALL } from './gateway-statement.ts';
import type { ReferencedObject } from './read-gateway.ts';

export interface EmittedIncoming {
  readonly incoming: Incoming;
  readonly code: Code;
  /** The path of the block. */
  readonly path: Path;
}

/**
 * @param claims names of the claims that contain callers' groups
 * @param issuer returns the reference to an MCPOIDCConfig
 * @throws NotRepresentable
 */
export function emitIncoming(
  { incomingAuth, config }: VirtualMCPServerSpec,
  claims: EntityClaims,
  issuer: (name: string) => ReferencedObject,
): EmittedIncoming {
  const inConfig = config?.incomingAuth;
  const groups = findGroupClaims(claims);
  if (incomingAuth !== undefined) {
    if (inConfig !== undefined)
      throw new NotRepresentable('`config.incomingAuth` has no effect next to `incomingAuth`.');
    const path = ['spec', 'incomingAuth'];
    if (incomingAuth.type === 'anonymous')
      return { ...withoutCallers('anonymous', groups, incomingAuth.oidcConfigRef), path };
    if (incomingAuth.oidcConfigRef === undefined)
      throw new NotRepresentable('`incomingAuth.oidcConfigRef` is missing.');
    return { ...emitReferring(incomingAuth.oidcConfigRef, groups, issuer), path };
  }
  if (inConfig === undefined) throw new NotRepresentable('`incomingAuth` is missing.');
  const path = ['spec', 'config', 'incomingAuth'];
  if (inConfig.authz?.type === 'none' && Object.keys(inConfig.authz).length > 1)
    throw new NotRepresentable('`config.incomingAuth.authz` has the type `none` and further fields.');
  if (inConfig.type !== 'oidc') return { ...withoutCallers(inConfig.type, groups, inConfig.oidc), path };
  if (inConfig.oidc === undefined) throw new NotRepresentable('`config.incomingAuth.oidc` is missing.');
  return { ...emitInlineConfig(inConfig.oidc, groups), path };
}

function withoutCallers(type: 'anonymous' | 'local', groups: GroupClaims | undefined, issuer: object | undefined) {
  if (issuer !== undefined) throw new NotRepresentable('an issuer is set, but the gateway asks callers for no token.');
  if (groups !== undefined)
    throw new NotRepresentable('group claims are set, but the gateway asks callers for no token.');
  return { incoming: Incoming[type](), code: call(`Incoming.${type}`) };
}

function emitReferring(
  { name, audience, resourceUrl, scopes }: OidcConfigRef,
  groups: GroupClaims | undefined,
  issuer: (name: string) => ReferencedObject,
) {
  if (audience === '') throw new NotRepresentable('`audience` is empty.');
  if (resourceUrl !== undefined && !isSafeUrl(resourceUrl))
    throw new NotRepresentable('the prop `resourceUrl` does not accept this URL.');
  const props = omitUndefined({ resourceUrl: resourceUrl as `https://${string}` | undefined, scopes, groups });
  const named = issuer(name);
  const on = named.constant === undefined ? call('Oidc.existing', named.name) : plain(named.constant);
  const emitted = Object.keys(props).length === 0 ? [] : [emitPlainValue(props)];
  return {
    incoming: oidcAudience(name, undefined, audience, props, NO_CALL),
    code: method(on, 'forAudience', emitText(audience), ...emitted),
  };
}

function emitInlineConfig(oidc: ConfigOidc, groups: GroupClaims | undefined) {
  const { scopes: requiredScopes, introspectionUrl, clientSecretEnv, protectedResourceAllowPrivateIp, ...rest } = oidc;
  if (protectedResourceAllowPrivateIp !== undefined)
    throw new NotRepresentable('there is no prop for `protectedResourceAllowPrivateIp`.');
  if (introspectionUrl === undefined && clientSecretEnv !== undefined)
    throw new NotRepresentable('`clientSecretEnv` has no effect without `introspectionUrl`.');
  const isInsecure = oidc.insecureAllowHttp === true;
  for (const url of [oidc.issuer, oidc.jwksUrl, introspectionUrl])
    if (url !== undefined && !isHttps(url) && !(isInsecure && isHttp(url)))
      throw new NotRepresentable('a URL of the issuer is not `https`, and `insecureAllowHttp` does not allow it.');
  if (oidc.resource !== undefined && !isSafeUrl(oidc.resource))
    throw new NotRepresentable('the prop `resource` does not accept this URL.');
  if (oidc.caBundlePath !== undefined && !isAbsolutePath(oidc.caBundlePath))
    throw new NotRepresentable('`caBundlePath` is not an absolute path.');
  if (oidc.audience === '') throw new NotRepresentable('`audience` is empty.');
  const introspection =
    introspectionUrl === undefined ? undefined : omitUndefined({ url: introspectionUrl, clientSecretEnv });
  const props = omitUndefined({ ...rest, requiredScopes, introspection, groups });
  // The checks above make sure that the values have these types, which TypeScript cannot see.
  return {
    incoming: Incoming.oidc(props as unknown as WrittenOidcProps),
    code: call('Incoming.oidc', emitPlainValue(props)),
  };
}

function findGroupClaims({ groupClaimName, roleClaimName, groupEntityType }: EntityClaims): GroupClaims | undefined {
  const groups = omitUndefined({ claim: groupClaimName, roleClaim: roleClaimName, entityType: groupEntityType });
  return Object.keys(groups).length === 0 ? undefined : groups;
}

function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
