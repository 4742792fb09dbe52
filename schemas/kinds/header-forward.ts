import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from './blocks.ts';
import { fields, listMap, record, refined } from './define.ts';

/** Static headers of every outgoing request. */
export const headerForward: TSchema = fields(
  'HeaderForward',
  {
    addPlaintextHeaders: Type.Optional(
      record(Type.String(), {
        description: 'Header names and values. They are stored readable; keep credentials in `addHeadersFromSecret`.',
      }),
    ),
    addHeadersFromSecret: Type.Optional(
      listMap(
        fields(
          'HeaderFromSecret',
          {
            headerName: Type.String({ description: 'Name of the header.', minLength: 1, maxLength: 255 }),
            valueSecretRef: refined(secretKeyRef, { description: 'Where the value of the header is kept.' }),
          },
          { description: 'One header whose value comes out of a Secret.' },
        ),
        ['headerName'],
        { description: 'Headers whose values come out of Secrets.' },
      ),
    ),
  },
  {
    description:
      'Headers added to every request toward the remote server. A header that the request already has is kept; names that steer the connection, such as `Host`, are refused.',
  },
);
