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
    scopes: Type.Optional(Type.Array(Type.String(), { description: 'Scopes to ask for.' })),
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
        { description: 'Type of the token handed in. Empty means an access token.' },
      ),
    ),
    externalTokenHeaderName: Type.Optional(
      Type.String({
        description:
          'Header for the new token, so that `Authorization` stays as it is. Proxies obey it; a VirtualMCPServer does not.',
      }),
    ),
    subjectProviderName: Type.Optional(
      Type.String({
        description:
          'Upstream whose token a VirtualMCPServer hands in. Empty: the first upstream of its authorization server, if it has one.',
      }),
    ),
  },
  { description: 'Exchanges the token of the caller for one that the server accepts (RFC 8693).' },
);
