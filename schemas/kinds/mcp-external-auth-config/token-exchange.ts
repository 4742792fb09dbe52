import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from '../blocks.ts';
import { fields, oneOf, refined } from '../define.ts';

export const tokenExchangeConfig: TSchema = fields(
  'TokenExchangeConfig',
  {
    tokenUrl: Type.String({ description: 'Token endpoint that performs the exchange.' }),
    audience: Type.String({ description: 'Audience of the new token.' }),
    clientId: Type.Optional(Type.String({ description: 'Client identifier at the token endpoint.' })),
    clientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Client secret at the token endpoint.' })),
    scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to request.' })),
    subjectTokenType: Type.Optional(
      oneOf(
        [
          '',
          'access_token',
          'id_token',
          'jwt',
          'urn:ietf:params:oauth:token-type:access_token',
          'urn:ietf:params:oauth:token-type:id_token',
          'urn:ietf:params:oauth:token-type:jwt',
        ],
        { description: 'Type of the token that is exchanged. Empty: an access token.' },
      ),
    ),
    externalTokenHeaderName: Type.Optional(
      Type.String({
        description:
          'Header in which the new token is sent, in place of `Authorization`. A VirtualMCPServer ignores this field.',
      }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          'Upstream whose token a VirtualMCPServer exchanges. Empty: the first upstream of its authorization server, if it has one.',
      }),
    ),
  },
  { description: 'Exchanges the token of the caller for one that the server accepts (RFC 8693).' },
);
