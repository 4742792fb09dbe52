/** Credentials for backends, from `spec.outgoingAuth`. */
import type { BackendAuth, VirtualMCPServerSpec } from '#schemas';
import type { DraftCredentials } from '../../../cdk8s/gateway/draft.ts';
import type { Path } from '../../../source/source-document.ts';
import { type Code, type CommentedMember, call, plain } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import { NotRepresentable } from '../not-representable.ts';
import type { ReferencedObject } from './read-gateway.ts';

export interface EmittedOutgoing {
  readonly credentials: DraftCredentials;
  /** The prop `source`; undefined if backends are discovered and use their own credentials. */
  readonly source: 'inline' | undefined;
  /** Names of the backends for which the gateway's own spec chooses the credentials. */
  readonly named: readonly string[];
  code(writer: ValueWriter, isInline: boolean): Code | undefined;
}

const AT: Path = ['spec', 'outgoingAuth'];

/**
 * @param credential returns the reference to an MCPExternalAuthConfig
 * @throws NotRepresentable
 */
export function emitOutgoing(
  { outgoingAuth, config }: VirtualMCPServerSpec,
  credential: (name: string) => ReferencedObject,
): EmittedOutgoing {
  if (config?.outgoingAuth !== undefined) throw new NotRepresentable('there is no prop for `config.outgoingAuth`.');
  const { source, default: fallback, backends = {} } = outgoingAuth ?? {};
  const entries = Object.entries(backends);
  const toCode = (auth: BackendAuth): Code => {
    if (auth.type === 'discovered') return call('OutgoingAuth.discovered');
    const named = credential(auth.externalAuthConfigRef?.name ?? '');
    return named.constant === undefined ? call('OutgoingAuth.existing', named.name) : plain(named.constant);
  };
  for (const auth of [...(fallback === undefined ? [] : [fallback]), ...entries.map(([, entry]) => entry)])
    if ((auth.type === 'discovered') === (auth.externalAuthConfigRef !== undefined))
      throw new NotRepresentable(
        '`externalAuthConfigRef` is missing, or it is set together with the type `discovered`.',
      );
  return {
    credentials: {
      ...(fallback === undefined ? {} : { default: { auth: fallback } }),
      backends: entries.map(([name, auth]) => [name, { auth }] as const),
    },
    source: source === 'inline' ? source : undefined,
    named: entries.map(([name]) => name),
    code: (writer, isInline) => {
      const members: readonly CommentedMember[] = [
        ...(source === 'inline' && !isInline ? [writer.field('source', source, [...AT, 'source'])] : []),
        ...(fallback === undefined ? [] : [writer.member('default', toCode(fallback), [...AT, 'default'])]),
        ...(entries.length === 0
          ? []
          : [
              {
                key: 'backends',
                comments: writer.comments.at([...AT, 'backends']),
                value: {
                  type: 'object',
                  members: entries.map(([name, auth]) => writer.member(name, toCode(auth), [...AT, 'backends', name])),
                } as const,
              },
            ]),
      ];
      return members.length === 0 ? undefined : { type: 'object', members };
    },
  };
}
