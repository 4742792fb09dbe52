import { isObject } from '#schemas';
import { RESERVED_PARAMETERS } from '../../rules/upstream-providers.ts';
import { type CallCode, type CommentedMember, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import type { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import { isHttp, isHttps, isSafeUrl, isText } from './prop-guards.ts';

/** The code `Upstream.oidc(…)` or `Upstream.oauth2(…)`. @throws NotRepresentable */
export function emitUpstream(block: ConsumedMapping): CallCode {
  const name = block.take('name');
  const type = block.take('type');
  if (typeof name !== 'string' || !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
    throw new NotRepresentable('an upstream provider has no valid `name`.');
  const config = block.block(type === 'oidc' ? 'oidcConfig' : 'oauth2Config');
  block.done();
  if (config === undefined)
    throw new NotRepresentable('the settings for the type of an upstream provider are missing.');
  const members = type === 'oidc' ? emitOidcMembers(config) : emitOauth2Members(config);
  config.done();
  return call(`Upstream.${type}`, plain(formatStringLiteral(name)), { type: 'object', members });
}

function emitOidcMembers(config: ConsumedMapping): readonly CommentedMember[] {
  const client = readClient(config);
  if (client.length === 0) throw new NotRepresentable('an upstream provider of type `oidc` has no `clientId`.');
  return [
    ...config.required('issuer', 'issuerUrl', isHttps),
    ...client,
    ...config.props('scopes'),
    ...emitCommonMembers(config),
    ...config.props('subjectClaim', 'userInfoOverride'),
  ];
}

function emitOauth2Members(config: ConsumedMapping): readonly CommentedMember[] {
  const isInsecure = config.peek('insecureAllowHTTP') === true;
  const isEndpoint = (url: unknown) => (isInsecure ? isHttps(url) || isHttp(url) : isSafeUrl(url));
  const client = readClient(config);
  const dynamic = config.block('dcrConfig');
  const registration = dynamic && readRegistration(dynamic);
  if ((client.length === 0) === (registration === undefined))
    throw new NotRepresentable('an upstream provider of type `oauth2` needs either a `clientId` or a `dcrConfig`.');
  const isFixed = dynamic?.peek('registrationEndpoint') !== undefined;
  const scopes = config.props('scopes');
  const listed = config.peek('scopes');
  if (isFixed && !(Array.isArray(listed) && listed.length > 0))
    throw new NotRepresentable('an upstream provider with a `registrationEndpoint` has no `scopes`.');
  return [
    ...config.required('authorizationEndpoint', 'authorizationEndpoint', isEndpoint),
    ...config.required('tokenEndpoint', 'tokenEndpoint', isEndpoint),
    ...config.props('insecureAllowHTTP'),
    ...client,
    ...config.emit('registration', 'dcrConfig', registration && { type: 'object', members: registration }),
    ...scopes,
    ...emitCommonMembers(config),
    ...config.props('userInfo', 'identityFromToken', 'tokenResponseMapping', 'allowPrivateIPs'),
  ];
}

function readRegistration(block: ConsumedMapping): readonly CommentedMember[] {
  const where = [
    ...block.prop('discoveryUrl', 'discoveryUrl', isHttps),
    ...block.prop('registrationEndpoint', 'registrationEndpoint', isHttps),
  ];
  if (where.length !== 1)
    throw new NotRepresentable('`dcrConfig` needs either a `discoveryUrl` or a `registrationEndpoint`.');
  const members = [
    ...where,
    ...block.secret('initialAccessTokenRef', 'initialAccessTokenRef'),
    ...block.props('softwareId', 'softwareStatement'),
  ];
  block.done();
  return members;
}

/** The client of an upstream. A public client has no secret. */
function readClient(config: ConsumedMapping): readonly CommentedMember[] {
  const members = [...config.prop('id', 'clientId', isText), ...config.secret('secret', 'clientSecretRef')];
  if (members.length > 0 && members[0]?.key !== 'id')
    throw new NotRepresentable('an upstream provider has a `clientSecretRef` without a `clientId`.');
  return config.emit('client', 'clientId', members.length === 0 ? undefined : { type: 'object', members });
}

function emitCommonMembers(config: ConsumedMapping): readonly CommentedMember[] {
  const areFree = (value: unknown) =>
    isObject(value) && !Object.keys(value).some(name => RESERVED_PARAMETERS.has(name));
  return [
    ...config.prop('redirectUri', 'redirectUri', isSafeUrl),
    ...config.prop('additionalAuthorizationParams', 'additionalAuthorizationParams', areFree),
  ];
}
