/** How the certificate of a Redis is verified. */
import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from './blocks.ts';
import { fields, refined } from './define.ts';

export const redisTls: TSchema = fields(
  'RedisTls',
  {
    caCertSecretRef: Type.Optional(
      refined(secretKeyRef, { description: 'Certificate authorities to trust, as PEM. Default: those of the system.' }),
    ),
    insecureSkipVerify: Type.Optional(
      Type.Boolean({
        description: 'Accept any certificate. An attacker on the path can then read and change the data.',
      }),
    ),
  },
  { description: 'TLS settings; their presence switches TLS on.' },
);
