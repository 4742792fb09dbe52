/** `config.outgoingAuth`: the settings that the runtime reads; in a cluster `spec.outgoingAuth` replaces them. */
import { type TSchema, Type } from 'typebox';
import { fields, oneOf, record, refined } from '../define.ts';
import { awsSts, headerInjection, obo, tokenExchange, upstreamInject, xaa } from './outgoing-strategies.ts';

const strategy: TSchema = fields(
  'OutgoingStrategy',
  {
    type: oneOf(['unauthenticated', 'header_injection', 'token_exchange', 'upstream_inject', 'aws_sts', 'obo', 'xaa'], {
      description:
        'How the gateway authenticates. Every type except `unauthenticated` needs the field of the same name.',
    }),
    headerInjection: Type.Optional(headerInjection),
    tokenExchange: Type.Optional(tokenExchange),
    upstreamInject: Type.Optional(upstreamInject),
    awsSts: Type.Optional(awsSts),
    obo: Type.Optional(obo),
    xaa: Type.Optional(xaa),
  },
  { description: 'How the gateway authenticates toward a backend.' },
);

export const configOutgoingAuth: TSchema = fields(
  'ConfigOutgoingAuth',
  {
    source: oneOf(['inline', 'discovered'], {
      description:
        "`inline`: `default` and `backends` have the strategies. `discovered`: the backends' own references have them.",
    }),
    default: Type.Optional(refined(strategy, { description: 'Strategy for backends that have none of their own.' })),
    backends: Type.Optional(
      record(strategy, { description: 'Strategies for single backends. The key is the name of the backend.' }),
    ),
  },
  { description: 'Authentication toward backends outside a cluster; `spec.outgoingAuth` takes precedence.' },
);
