import { type TSchema, Type } from 'typebox';
import { HTTPS_URL, secretKeyRef } from '../blocks.ts';
import { fields, refined } from '../define.ts';

/** Registration at the upstream when the server starts (RFC 7591). */
export const dynamicRegistration: TSchema = fields(
  'DynamicClientRegistration',
  {
    discoveryUrl: Type.Optional(
      Type.String({
        ...HTTPS_URL,
        maxLength: 2048,
        description:
          'Exact URL of the metadata document that names the registration endpoint; cannot be combined with `registrationEndpoint`.',
      }),
    ),
    registrationEndpoint: Type.Optional(
      Type.String({
        ...HTTPS_URL,
        maxLength: 2048,
        description:
          'Registration endpoint, used without discovery. Endpoints and `scopes` of the upstream must then be written out.',
      }),
    ),
    initialAccessTokenRef: Type.Optional(
      refined(secretKeyRef, { description: 'Token that allows the registration, sent as bearer credential.' }),
    ),
    softwareId: Type.Optional(
      Type.String({ maxLength: 255, description: 'Identifier of this software in the registration.' }),
    ),
    softwareStatement: Type.Optional(
      Type.String({
        maxLength: 16384,
        description: 'Signed JWT about this software. Every user who can read this object can read it.',
      }),
    ),
  },
  {
    description: 'Obtains a client identifier and secret from the upstream at run time.',
    rules: [
      {
        rule: 'has(self.discoveryUrl) != has(self.registrationEndpoint)',
        message: 'set either discoveryUrl or registrationEndpoint, not both and not neither',
      },
    ],
  },
);
