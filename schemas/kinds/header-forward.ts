import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from './blocks.ts';
import { fields, listMap, record, refined } from './define.ts';

/** Static headers of every outgoing request. */
export const headerForward: TSchema = fields(
  'HeaderForward',
  {
    addPlaintextHeaders: Type.Optional(
      record(Type.String(), {
        description: 'Header names and values, stored in plain text. For credentials, use `addHeadersFromSecret`.',
      }),
    ),
    addHeadersFromSecret: Type.Optional(
      listMap(
        fields(
          'HeaderFromSecret',
          {
            headerName: Type.String({ description: 'Name of the header.', minLength: 1, maxLength: 255 }),
            valueSecretRef: refined(secretKeyRef, { description: 'Secret with the value of the header.' }),
          },
          { description: 'One header whose value comes from a Secret.' },
        ),
        ['headerName'],
        { description: 'Headers whose values come from Secrets.' },
      ),
    ),
  },
  {
    description:
      'Headers that are added to every request to the remote server. They do not replace a header that the request already has. Headers of the connection, such as `Host`, are not allowed.',
  },
);
