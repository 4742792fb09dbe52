/** Methods that send a stored credential unchanged. */
import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from '../blocks.ts';
import { fields, refined } from '../define.ts';

export const headerInjectionConfig: TSchema = fields(
  'HeaderInjectionConfig',
  {
    headerName: Type.String({ minLength: 1, description: 'Name of the header to set.' }),
    valueSecretRef: refined(secretKeyRef, { description: 'Secret with the value of the header.' }),
  },
  { description: 'Sets one header to a fixed value.' },
);

export const bearerTokenConfig: TSchema = fields(
  'BearerTokenConfig',
  { tokenSecretRef: refined(secretKeyRef, { description: 'Secret with the token.' }) },
  { description: 'Sends a fixed bearer token; MCPServer and MCPRemoteProxy only.' },
);

export const upstreamInjectConfig: TSchema = fields(
  'UpstreamInjectConfig',
  {
    providerName: Type.String({
      minLength: 1,
      description: 'Name of an upstream of the embedded authorization server.',
    }),
  },
  { description: 'Sends the access token that the upstream issued when the user signed in.' },
);
