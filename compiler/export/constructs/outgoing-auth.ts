import { isCarrierHeader } from '#shared/plan';
import type { Code, CommentedCode, CommentedMember } from '../typescript/code.ts';
import { ConsumedMapping } from './block.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct, NotRepresentable } from './construct.ts';
import { isHttp, isHttps, isPeriod, isRegion, isRoleArn, isSafeUrl, isText, oneOf } from './prop-guards.ts';

/** The code `OutgoingAuth.header(…)` or a similar call. */
export function emitOutgoingAuth(context: EmitContext): ConstructCode {
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const type = fields.take('type');
  if (type === 'unauthenticated') {
    fields.done();
    return { code: emitConstruct('OutgoingAuth.unauthenticated', context, naming) };
  }
  const word = typeof type === 'string' && Object.hasOwn(WORDS, type) ? WORDS[type] : undefined;
  if (word === undefined) throw new NotRepresentable(`there is no construct for a credential of type \`${type}\`.`);
  const block = fields.block(`${type}`);
  if (block === undefined) throw new NotRepresentable(`\`${type}\` is missing.`);
  fields.done();
  const members = word.members(block);
  block.done();
  return { code: emitConstruct(word.callee, context, [...naming, ...members]) };
}

interface Word {
  readonly callee: string;
  readonly members: (block: ConsumedMapping) => readonly CommentedMember[];
}

/** The code of each type of credential, by type. The type is also the name of the field with the settings. */
const WORDS: Readonly<Record<string, Word>> = {
  headerInjection: {
    callee: 'OutgoingAuth.header',
    members: block => [
      ...block.required('header', 'headerName', name => typeof name === 'string' && isCarrierHeader(name)),
      ...block.secret('value', 'valueSecretRef'),
    ],
  },
  tokenExchange: {
    callee: 'OutgoingAuth.tokenExchange',
    members: block => [
      ...block.required('tokenUrl', 'tokenUrl', isSafeUrl),
      ...block.required('audience'),
      ...block.client('client', 'clientId', 'clientSecretRef'),
      ...block.props('scopes'),
      ...block.prop('subjectTokenType', 'subjectTokenType', oneOf('access_token', 'id_token', 'jwt')),
      ...block.prop('subjectProvider', 'subjectProviderName'),
    ],
  },
  upstreamInject: {
    callee: 'OutgoingAuth.upstreamInject',
    members: block => block.required('provider', 'providerName'),
  },
  awsSts: {
    callee: 'OutgoingAuth.awsSts',
    members: block => [
      ...block.required('region', 'region', isRegion),
      ...block.props('service'),
      ...emitRoles(block),
      ...block.props('roleClaim', 'sessionDuration', 'sessionNameClaim'),
      ...block.prop('subjectProvider', 'subjectProviderName'),
    ],
  },
  obo: {
    callee: 'OutgoingAuth.onBehalfOf',
    members: block => {
      const client = block.client('client', 'clientId', 'clientSecretRef');
      const target = [...block.props('audience'), ...block.prop('scopes', 'scopes', isFilled)];
      if (client.length === 0 || target.length !== 1)
        throw new NotRepresentable('`OutgoingAuth.onBehalfOf` needs a client, and either an audience or scopes.');
      return [
        ...block.required('tenantId'),
        ...block.prop('authority', 'authority', isHttps),
        ...client,
        ...target,
        ...block.prop('subjectProvider', 'subjectTokenProviderName'),
        ...block.prop('cacheSkew', 'cacheSkew', isPeriod),
      ];
    },
  },
  xaa: {
    callee: 'OutgoingAuth.crossApp',
    members: block => {
      const idp = [
        ...block.required('tokenUrl', 'idpTokenUrl', isHttps),
        ...block.client('client', 'idpClientId', 'idpClientSecretRef'),
      ];
      const isInsecure = block.take('insecureTargetTokenUrl') === true;
      const target = [
        ...block.required('tokenUrl', 'targetTokenUrl', isInsecure ? isHttp : isHttps),
        ...block.prop('insecure', 'insecureTargetTokenUrl'),
        ...block.client('client', 'targetClientId', 'targetClientSecretRef'),
        ...block.required('audience', 'targetAudience'),
        ...block.prop('resource', 'targetResource'),
      ];
      return [
        ...block.emit('idp', 'idpTokenUrl', { type: 'object', members: idp }),
        ...block.emit('target', 'targetTokenUrl', { type: 'object', members: target }),
        ...block.props('scopes'),
        ...block.prop('subjectProvider', 'subjectProviderName'),
      ];
    },
  },
  bearerToken: {
    callee: 'ProxyAuth.bearerToken',
    members: block => {
      const token = block.secret('token', 'tokenSecretRef');
      if (token.length === 0) throw new NotRepresentable('`tokenSecretRef` is missing.');
      return token;
    },
  },
};

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** A role mapping, or a fallback role. */
function emitRoles(block: ConsumedMapping): readonly CommentedMember[] {
  const mappings = block.take('roleMappings');
  const fallback = block.prop('fallbackRole', 'fallbackRoleArn', isRoleArn);
  if (mappings === undefined) {
    if (fallback.length === 0)
      throw new NotRepresentable('neither `roleMappings` nor `fallbackRoleArn` contains a role.');
    return fallback;
  }
  if (!Array.isArray(mappings) || (mappings.length === 0 && fallback.length === 0))
    throw new NotRepresentable('neither `roleMappings` nor `fallbackRoleArn` contains a role.');
  const items = mappings.map((mapping, index): CommentedCode => {
    const at = new ConsumedMapping(mapping, [...block.path, 'roleMappings', index], block.writer);
    const who = [...at.prop('claim', 'claim', isText), ...at.prop('matcher', 'matcher', isText)];
    if (who.length !== 1)
      throw new NotRepresentable('an entry of `roleMappings` needs either a `claim` or a `matcher`.');
    const members = [...who, ...at.required('role', 'roleArn', isRoleArn), ...at.props('priority')];
    at.done();
    const value: Code = { type: 'object', members };
    return { value, comments: block.writer.comments.at(at.path) };
  });
  return [...fallback, ...block.emit('roles', 'roleMappings', { type: 'list', items })];
}
