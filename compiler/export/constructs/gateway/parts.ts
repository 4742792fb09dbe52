/** Session storage and telemetry of a gateway. */
import type { VirtualMCPServerSpec } from '#schemas';
import type { BoundPart } from '../../../cdk8s/part.ts';
import { type Code, type CommentedMember, call, method, plain } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import { emitRedisTls, emitSentinels } from '../auth-server-storage.ts';
import { ConsumedMapping } from '../block.ts';
import { isAddress } from '../prop-guards.ts';
import { emitText } from './gateway-statement.ts';
import type { ReferencedObject } from './read-gateway.ts';

export interface EmittedPart {
  readonly part: BoundPart;
  member(writer: ValueWriter): CommentedMember;
}

/**
 * The session storage of a gateway. `member` throws NotRepresentable for settings that the prop does not allow.
 *
 * @throws NotRepresentable, when the member is used
 */
export function emitSessions(sessionStorage: Required<VirtualMCPServerSpec>['sessionStorage']): EmittedPart {
  const path = ['spec', 'sessionStorage'];
  return {
    part: { spec: { sessionStorage } },
    member: writer => {
      const comments = writer.comments.at(path);
      return { key: 'sessions', comments, value: emitSessionsCode(new ConsumedMapping(sessionStorage, path, writer)) };
    },
  };
}

function emitSessionsCode(block: ConsumedMapping): Code {
  const provider = block.take('provider');
  const sentinels = block.block('sentinelConfig');
  const isKeyPrefix = (value: unknown) => typeof value === 'string' && value.endsWith(':');
  const members =
    provider === 'redis'
      ? [
          ...(sentinels === undefined
            ? [...block.required('address', 'address', isAddress), ...block.props('db')]
            : block.emit('sentinels', 'sentinelConfig', emitSentinels(sentinels))),
          ...block.prop('keyPrefix', 'keyPrefix', isKeyPrefix),
          ...block.secret('password', 'passwordRef'),
          ...block.secret('username', 'usernameRef'),
          ...(sentinels === undefined ? block.props('clusterMode') : []),
          ...emitRedisTls(block, 'tls'),
          ...(sentinels === undefined ? [] : emitRedisTls(block, 'sentinelTls')),
        ]
      : [];
  block.done();
  return call(`Sessions.${provider}`, ...(provider === 'redis' ? [{ type: 'object', members } as const] : []));
}

/** @param settings returns the reference to an MCPTelemetryConfig */
export function emitTelemetry(
  telemetryConfigRef: Required<VirtualMCPServerSpec>['telemetryConfigRef'],
  settings: ReferencedObject,
): EmittedPart {
  const on = settings.constant === undefined ? call('Telemetry.existing', settings.name) : plain(settings.constant);
  const { serviceName } = telemetryConfigRef;
  const code = serviceName === undefined ? on : method(on, 'forService', emitText(serviceName));
  return {
    part: { spec: { telemetryConfigRef } },
    member: writer => writer.member('telemetry', code, ['spec', 'telemetryConfigRef']),
  };
}
