import { type TSchema, Type } from 'typebox';
import { fields, oneOf, record, refined } from '../define.ts';
import { externalAuthConfigRef } from '../references.ts';

const backendAuth: TSchema = fields(
  'BackendAuth',
  {
    type: oneOf(['discovered', 'externalAuthConfigRef'], {
      description:
        "`discovered`: the backend's own `externalAuthConfigRef` is used. `externalAuthConfigRef`: the field `externalAuthConfigRef` of this object is used.",
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
          '`discovered`: backends and their credentials come from the objects of the group. `inline`: both are written in this object.',
      }),
    ),
    default: Type.Optional(
      refined(backendAuth, {
        description:
          'Authentication toward backends that have neither an entry in `backends` nor an `externalAuthConfigRef`.',
      }),
    ),
    backends: Type.Optional(
      record(backendAuth, {
        description: 'Authentication toward single backends. The key is the name of the backend.',
      }),
    ),
  },
  { description: 'Authentication toward the backends. It takes precedence over `config.outgoingAuth`.' },
);
