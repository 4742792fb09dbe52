import { type CallCode, type Code, type CommentedMember, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import type { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import { isHttps, isSafeUrl } from './prop-guards.ts';
import type { ServerFiles } from './server-files.ts';

const CLUSTER = 'https://kubernetes.default.svc.cluster.local';

/** The defaults of `RegistryProvider.cluster`. */
const OF_CLUSTER: Readonly<Record<string, unknown>> = {
  jwksUrl: `${CLUSTER}/openid/v1/jwks`,
  caCertPath: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
  authTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
  allowPrivateIP: true,
};

/** The code `RegistryProvider.oidc(…)` or `RegistryProvider.cluster(…)`. @throws NotRepresentable */
export function emitRegistryProvider(block: ConsumedMapping, files: ServerFiles): CallCode {
  const name = block.take('name');
  if (typeof name !== 'string' || name === '') throw new NotRepresentable('a provider has no `name`.');
  const { callee, members } = emitCluster(block) ?? emitOidcProvider(block, files);
  block.done();
  return call(`RegistryProvider.${callee}`, plain(formatStringLiteral(name)), { type: 'object', members });
}

interface Provider {
  readonly callee: string;
  readonly members: readonly CommentedMember[];
}

function emitCluster(block: ConsumedMapping): Provider | undefined {
  const isOther = Object.entries(OF_CLUSTER).some(([field, value]) => block.peek(field) !== value);
  const further = ['introspectionUrl', 'clientId', 'clientSecretFile'].some(field => block.peek(field) !== undefined);
  if (isOther || further || !isHttps(block.peek('issuerUrl'))) return undefined;
  for (const field of Object.keys(OF_CLUSTER)) block.take(field);
  const issuer = block.take('issuerUrl') === CLUSTER ? [] : block.prop('issuer', 'issuerUrl');
  return { callee: 'cluster', members: [...issuer, ...block.required('audience')] };
}

function emitOidcProvider(block: ConsumedMapping, files: ServerFiles): Provider {
  const url = block.prop('url', 'introspectionUrl', isSafeUrl);
  const id = block.prop('id', 'clientId');
  const secret = block.serverFile('secret', 'clientSecretFile', files);
  if (id.length < secret.length || (id.length > 0 && url.length === 0))
    throw new NotRepresentable(
      'a provider has `clientSecretFile` without `clientId`, or `clientId` without `introspectionUrl`.',
    );
  const client = block.emit('client', 'clientId', toObjectCode([...id, ...secret]));
  const members = [
    ...block.required('issuer', 'issuerUrl', isSafeUrl),
    ...block.required('audience'),
    ...block.prop('jwksUrl', 'jwksUrl', isSafeUrl),
    ...block.emit('introspection', 'introspectionUrl', toObjectCode([...url, ...client])),
    ...block.serverFile('ca', 'caCertPath', files),
    ...block.serverFile('authToken', 'authTokenFile', files),
    ...block.props('allowPrivateIP'),
  ];
  return { callee: 'oidc', members };
}

function toObjectCode(members: readonly CommentedMember[]): Code | undefined {
  return members.length === 0 ? undefined : { type: 'object', members };
}
