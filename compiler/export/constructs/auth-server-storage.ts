import { type Code, type CommentedMember, plain } from '../typescript/code.ts';
import type { ConsumedMapping } from './block.ts';
import { NotRepresentable } from './not-representable.ts';
import { isAddress, isPeriod } from './prop-guards.ts';

/**
 * The storage of an authorization server.
 * @throws NotRepresentable
 */
export function emitAuthServerStorage(storage: ConsumedMapping): Code {
  const type = storage.take('type');
  const redis = storage.block('redis');
  storage.done();
  if (type === 'memory' && redis === undefined) return plain("'memory'");
  if (type !== 'redis' || redis === undefined)
    throw new NotRepresentable('`storage` is neither `memory` nor `redis` with its settings.');
  return { type: 'object', members: [{ key: 'redis', value: emitRedis(redis), comments: [] }] };
}

function emitRedis(redis: ConsumedMapping): Code {
  const sentinels = redis.block('sentinelConfig');
  const user = redis.block('aclUserConfig');
  if (user === undefined) throw new NotRepresentable('`redis` has no `aclUserConfig`.');
  const password = user.secret('password', 'passwordSecretRef');
  const username = user.secret('username', 'usernameSecretRef');
  user.done();
  const address = redis.prop('address', 'addr', isAddress);
  const clusterMode = redis.props('clusterMode');
  const sentinelTls = emitRedisTls(redis, 'sentinelTls');
  const isPlain = address.length === 1 && sentinels === undefined && sentinelTls.length === 0;
  const isWatched = address.length === 0 && sentinels !== undefined && clusterMode.length === 0;
  if (password.length === 0 || (!isPlain && !isWatched))
    throw new NotRepresentable(
      '`redis` has no password or no address, or it mixes Sentinel with a single address or with `clusterMode`.',
    );
  const members = [
    ...address,
    ...clusterMode,
    ...redis.emit('sentinels', 'sentinelConfig', sentinels && emitSentinels(sentinels)),
    ...password,
    ...username,
    ...['dialTimeout', 'readTimeout', 'writeTimeout'].flatMap(field => redis.prop(field, field, isPeriod)),
    ...emitRedisTls(redis, 'tls'),
    ...sentinelTls,
  ];
  redis.done();
  return { type: 'object', members };
}

/**
 * @param block the field `sentinelConfig`
 * @throws NotRepresentable
 */
export function emitSentinels(block: ConsumedMapping): Code {
  const areAddresses = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isAddress);
  const where = [...block.prop('sentinelAddrs', 'sentinelAddrs', areAddresses), ...block.props('sentinelService')];
  if (where.length !== 1)
    throw new NotRepresentable('`sentinelConfig` needs either `sentinelAddrs` or `sentinelService`.');
  const members = [...block.required('masterName'), ...where, ...block.props('db')];
  block.done();
  return { type: 'object', members };
}

/** @param redis the mapping that contains the field */
export function emitRedisTls(redis: ConsumedMapping, field: string): readonly CommentedMember[] {
  const block = redis.block(field);
  if (block === undefined) return [];
  const members = [...block.secret('caCertSecretRef', 'caCertSecretRef'), ...block.props('insecureSkipVerify')];
  block.done();
  return redis.emit(field, field, { type: 'object', members });
}
