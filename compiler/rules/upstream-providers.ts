import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findAuthServer, type UpstreamSpec } from './support/auth-servers.ts';
import { isExposedHttp, isPlainHttp } from './support/plain-http.ts';
import { findWebUrlProblem } from './support/url-problem.ts';

/** Parameters of the authorization request that the protocol itself sets. */
export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
]);

/**
 * Checks the identity providers of an authorization server.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…oauth2Config` endpoints, `userInfo` | http only on loopback
 *   or with `insecureAllowHTTP`; `userInfoOverride` of `oidcConfig` https | LNT4004
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…redirectUri` | a complete URL of http or https, without
 *   credentials and fragment; https, except on loopback | LNT6011, LNT4004 (warning)
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…dcrConfig.registrationEndpoint` | needs `scopes` | LNT1010
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…additionalAuthorizationParams` | no parameters that the
 *   protocol sets; at most 16 | LNT4013
 */
export function upstreamProviders(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  return (location?.server.upstreamProviders ?? []).flatMap((upstream, index) => {
    const path = [...(location?.path ?? []), 'upstreamProviders', index];
    return [
      ...checkReservedParameters(resource, upstream, path),
      ...checkRedirects(resource, upstream, path, location?.server.insecureAllowHTTP === true),
      ...checkOAuth2(resource, upstream, [...path, 'oauth2Config']),
      ...checkPlainHttp(resource, upstream, path),
    ];
  });
}

/** The URL to which browsers return with the authorization code; the default is a URL of the server. */
function checkRedirects(resource: Resource, upstream: UpstreamSpec, path: Path, allowHttp: boolean): Diagnostic[] {
  return (['oidcConfig', 'oauth2Config'] as const).flatMap(block => {
    const uri = upstream[block]?.redirectUri ?? '';
    if (uri === '') return [];
    const at = [...path, block, 'redirectUri'];
    const field = `redirectUri of upstream "${upstream.name}"`;
    const problem = findWebUrlProblem(uri)?.message ?? (uri.includes('#') ? 'has a fragment' : undefined);
    if (problem !== undefined) return [diagnose(resource.document, 'LNT6011', at, `${field} ${problem}`)];
    if (allowHttp || !isExposedHttp(uri)) return [];
    const message = `${field} is plain http: secrets would cross the network unencrypted`;
    return [diagnose(resource.document, 'LNT4004', at, message, { severity: 'warning' })];
  });
}

function checkReservedParameters(resource: Resource, upstream: UpstreamSpec, path: Path): Diagnostic[] {
  return (['oidcConfig', 'oauth2Config'] as const).flatMap(block =>
    Object.keys(upstream[block]?.additionalAuthorizationParams ?? {})
      .filter(name => RESERVED_PARAMETERS.has(name))
      .map(name => {
        const at = [...path, block, 'additionalAuthorizationParams', name];
        const message = `"${name}" is set by the protocol itself and cannot be an additional parameter`;
        return diagnose(resource.document, 'LNT4013', at, message, { at: 'key' });
      }),
  );
}

function checkOAuth2(resource: Resource, { name, oauth2Config }: UpstreamSpec, path: Path): Diagnostic[] {
  if (oauth2Config === undefined) return [];
  const { dcrConfig, scopes = [] } = oauth2Config;
  const found: Diagnostic[] = [];
  if (dcrConfig?.registrationEndpoint !== undefined && scopes.length === 0) {
    const message = `upstream "${name}" registers at a fixed endpoint, so its scopes cannot be discovered: write the scopes`;
    found.push(diagnose(resource.document, 'LNT1010', [...path, 'scopes'], message));
  }
  return found;
}

/** Connections to other machines must not use plain http unless the spec allows it; to an OpenID provider they never may. */
function checkPlainHttp(
  resource: Resource,
  { name, oidcConfig, oauth2Config }: UpstreamSpec,
  path: Path,
): Diagnostic[] {
  const fields: readonly (readonly [path: Path, text: string | undefined])[] = [
    [['oidcConfig', 'userInfoOverride', 'endpointUrl'], oidcConfig?.userInfoOverride?.endpointUrl],
    ...(oauth2Config === undefined || oauth2Config.insecureAllowHTTP === true ? [] : listOAuth2Endpoints(oauth2Config)),
  ];
  return fields.flatMap(([field, text]) => {
    const isRefused = field[0] === 'oidcConfig' ? isPlainHttp : isExposedHttp;
    if (text === undefined || !isRefused(text)) return [];
    const message = `${field.at(-1)} of upstream "${name}" is plain http, and connections to it are refused`;
    const fix = field[0] === 'oidcConfig' ? 'use https' : 'use https, or for development set insecureAllowHTTP to true';
    return [diagnose(resource.document, 'LNT4004', [...path, ...field], message, { fix })];
  });
}

function listOAuth2Endpoints(
  config: NonNullable<UpstreamSpec['oauth2Config']>,
): readonly (readonly [Path, string | undefined])[] {
  const { authorizationEndpoint, tokenEndpoint, userInfo } = config;
  const endpoints: readonly (readonly [Path, string | undefined])[] = [
    [['authorizationEndpoint'], authorizationEndpoint],
    [['tokenEndpoint'], tokenEndpoint],
    [['userInfo', 'endpointUrl'], userInfo?.endpointUrl],
  ];
  return endpoints.map(([path, text]) => [['oauth2Config', ...path], text]);
}
