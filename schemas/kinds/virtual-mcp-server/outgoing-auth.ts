import { type TSchema, Type } from 'typebox';
import { fields, oneOf, record, refined } from '../define.ts';
import { externalAuthConfigRef } from '../references.ts';

const backendAuth: TSchema = fields(
  'BackendAuth',
  {
    type: oneOf(['discovered', 'externalAuthConfigRef'], {
      description: '`discovered` uses what the backend itself refers to; `externalAuthConfigRef` names a config here.',
    }),
    externalAuthConfigRef: Type.Optional(externalAuthConfigRef),
  },
  { description: 'How the gateway authenticates toward a backend.' },
);

export const outgoingAuth: TSchema = fields(
  'OutgoingAuth',
  {
    source: Type.Optional(
      oneOf(['discovered', 'inline'], {
        default: 'discovered',
        description:
          '`discovered` finds backends and their credentials at run time; `inline` fixes both when the gateway is deployed.',
      }),
    ),
    default: Type.Optional(
      refined(backendAuth, { description: 'Used for backends that have neither an entry nor a reference.' }),
    ),
    backends: Type.Optional(record(backendAuth, { description: 'Choices for single backends by name.' })),
  },
  { description: 'Authentication toward the backends. It takes precedence over `config.outgoingAuth`.' },
);
