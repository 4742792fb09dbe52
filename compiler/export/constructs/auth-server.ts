/** `new AuthServer(…)`: the authorization server of a gateway, together with the issuer that only this gateway uses. */
import { getMember, isObject } from '#schemas';
import { Comments } from '../comments.ts';
import type { ExportedObject } from '../exported-object.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import { type Code, type CommentedCode, type CommentedMember, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import { ValueWriter } from '../value-code.ts';
import { emitAuthServerStorage } from './auth-server-storage.ts';
import { ConsumedMapping } from './block.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct, NotRepresentable } from './construct.ts';
import { isHttp, isHttps, isSafeUrl } from './prop-guards.ts';
import { emitUpstream } from './upstream.ts';

/**
 * The gateway whose authorization server is an issuer. Undefined if other objects use the issuer as well, or no gateway does.
 *
 * @param issuer an MCPOIDCConfig
 */
export function findGatewayOfIssuer(issuer: ExportedObject, program: ProgramScope): ExportedObject | undefined {
  const [user, ...others] = program.listUsers(issuer);
  const isServer = user?.kind === 'VirtualMCPServer' && isObject(getMember(user.value.spec, 'authServerConfig'));
  return isServer && others.length === 0 ? user : undefined;
}

/** @throws NotRepresentable */
export function emitAuthServer(context: EmitContext, gateway: ExportedObject): ConstructCode {
  const { program } = context;
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const type = fields.take('type');
  const inline = fields.block('inline');
  fields.done();
  const issuer = inline?.take('issuer');
  const isInsecure = isHttp(issuer);
  if (type !== 'inline' || (inline?.take('insecureAllowHTTP') ?? false) !== isInsecure)
    throw new NotRepresentable(
      '`AuthServer` needs an issuer of type `inline`, with `insecureAllowHTTP` exactly if its URL is `http`.',
    );
  inline?.done();

  const spec = gateway.value.spec;
  // The comments are written at the gateway, so they are not repeated here.
  const writer = new ValueWriter(Comments.none);
  const server = new ConsumedMapping(getMember(spec, 'authServerConfig'), ['spec', 'authServerConfig'], writer);
  if (server.peek('issuer') !== issuer)
    throw new NotRepresentable('the authorization server has another `issuer` than the MCPOIDCConfig.');
  const { before, members } = emitServerMembers(server, program);
  const all = [...naming, ...server.required('issuer', 'issuer', isAnyUrl), ...emitAudience(spec, writer), ...members];
  server.done();
  return { before, code: emitConstruct('new AuthServer', context, all) };
}

/** The audience of tokens, and the claims that contain groups. */
function emitAudience(spec: unknown, writer: ValueWriter): readonly CommentedMember[] {
  const incoming = getMember(spec, 'incomingAuth');
  const reference = new ConsumedMapping(
    getMember(incoming, 'oidcConfigRef'),
    ['spec', 'incomingAuth', 'oidcConfigRef'],
    writer,
  );
  reference.take('name');
  if (reference.take('audience') !== reference.peek('resourceUrl'))
    throw new NotRepresentable('`audience` and `resourceUrl` of the gateway differ.');
  const members = [...reference.required('resourceUrl', 'resourceUrl', isSafeUrl), ...reference.props('scopes')];
  reference.done();
  const authz = getMember(incoming, 'authzConfig');
  const groups: readonly CommentedMember[] = GROUPS.flatMap(([key, field]) => {
    const value = getMember(authz, field);
    return typeof value === 'string' ? [{ key, value: plain(formatStringLiteral(value)), comments: [] }] : [];
  });
  return groups.length === 0
    ? members
    : [...members, { key: 'groups', value: { type: 'object', members: groups }, comments: [] }];
}

const GROUPS = [
  ['claim', 'groupClaimName'],
  ['roleClaim', 'roleClaimName'],
  ['entityType', 'groupEntityType'],
] as const;

function emitServerMembers(
  server: ConsumedMapping,
  program: ProgramScope,
): { before: readonly Line[]; members: readonly CommentedMember[] } {
  const issuer = server.peek('issuer');
  const primary = server.take('primaryUpstreamProvider');
  const providers = (server.blocks('upstreamProviders') ?? []).map(block => ({
    name: block.peek('name'),
    code: emitUpstream(block),
  }));
  if (providers.length === 0) throw new NotRepresentable('the authorization server has no `upstreamProviders`.');
  // The primary upstream gets a const, because another prop refers to it.
  const main = providers.find(({ name }) => name === primary);
  if (primary !== undefined && main === undefined)
    throw new NotRepresentable('`primaryUpstreamProvider` names no entry of `upstreamProviders`.');
  const constant = main && program.reserveConstant(`${primary}`, `${primary}-upstream`);
  const items = providers.map(
    (provider): CommentedCode => ({
      value: provider === main && constant !== undefined ? plain(constant) : provider.code,
      comments: [],
    }),
  );
  if (isHttp(issuer) && !isSafeUrl(issuer) && server.peek('insecureAllowHTTP') !== true)
    throw new NotRepresentable('an `http` issuer of an authorization server needs `insecureAllowHTTP`.');
  const storage = server.block('storage');
  const members = [
    ...server.props('insecureAllowHTTP'),
    ...server.prop('authorizationEndpointBaseUrl', 'authorizationEndpointBaseUrl', isSafeUrl),
    ...server.emit('upstreams', 'upstreamProviders', { type: 'list', items }),
    ...server.emit('primary', 'primaryUpstreamProvider', constant === undefined ? undefined : plain(constant)),
    ...server.secrets('signingKeys', 'signingKeySecretRefs'),
    ...server.secrets('hmacSecrets', 'hmacSecretRefs'),
    ...server.emit('storage', 'storage', storage && emitAuthServerStorage(storage)),
    ...emitConfidentialClients(server, issuer),
    ...delegateClients(server, issuer),
    ...server.props(
      'tokenLifespans',
      'disableUpstreamTokenInjection',
      'baselineClientScopes',
      'trustedIssuers',
      'cimd',
    ),
  ];
  const before = main === undefined || constant === undefined ? [] : [{ constant, code: main.code }];
  return { before, members };
}

function emitConfidentialClients(server: ConsumedMapping, issuer: unknown): readonly CommentedMember[] {
  const isAllowed = server.take('allowConfidentialClientRegistration');
  const overLoopback = server.prop(
    'insecureOverLoopback',
    'insecureAllowConfidentialOverLoopbackHTTP',
    is => is === true,
  );
  const forced = server.prop('forceRedirectUris', 'forceConfidentialRedirectUris', areHttps);
  const members = [...overLoopback, ...forced];
  if (isAllowed === undefined && members.length === 0) return [];
  if (isAllowed !== true || isHttps(issuer) === overLoopback.length > 0)
    throw new NotRepresentable(
      '`confidentialClients` cannot express this combination of settings for clients with secrets.',
    );
  return [{ key: 'confidentialClients', value: { type: 'object', members }, comments: [] }];
}

function delegateClients(server: ConsumedMapping, issuer: unknown): readonly CommentedMember[] {
  const clients = server.blocks('delegateClients');
  if (clients === undefined) return [];
  if (!isHttps(issuer)) throw new NotRepresentable('`delegateClients` need an `https` issuer.');
  const items = clients.map((client): CommentedCode => {
    const members = [...client.required('clientId'), ...client.secret('clientSecretRef', 'clientSecretRef')];
    const value: Code = { type: 'object', members: [...members, ...client.props('scopes', 'audiences')] };
    client.done();
    return { value, comments: [] };
  });
  return server.emit('delegateClients', 'delegateClients', { type: 'list', items });
}

function areHttps(values: unknown): boolean {
  return Array.isArray(values) && values.every(isHttps);
}

function isAnyUrl(value: unknown): boolean {
  return isHttps(value) || isHttp(value);
}
