import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from '../blocks.ts';
import { fields, refined } from '../define.ts';

export const delegateClient: TSchema = fields(
  'DelegateClient',
  {
    clientId: Type.String({ minLength: 1, maxLength: 256, description: 'Client identifier.' }),
    clientSecretRef: refined(secretKeyRef, { description: 'Secret with the client secret.' }),
    scopes: Type.Array(Type.String({ maxLength: 256 }), {
      minItems: 1,
      maxItems: 10,
      description: 'Scopes that the client may obtain.',
    }),
    audiences: Type.Array(Type.String({ maxLength: 2048 }), {
      minItems: 1,
      maxItems: 10,
      description: 'Audiences for which the client may obtain tokens.',
    }),
  },
  {
    description: "A confidential client that may exchange users' tokens for tokens of its own.",
    rules: [
      {
        rule: 'size(self.clientSecretRef.name) > 0 && size(self.clientSecretRef.key) > 0',
        message: 'clientSecretRef needs both name and key: a delegate client cannot be public',
      },
    ],
  },
);
