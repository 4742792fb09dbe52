import { type TSchema, Type } from 'typebox';
import { upstreamName } from '../authz-config.ts';
import { duration, secretKeyRef } from '../blocks.ts';
import { fields, form, refined } from '../define.ts';

export const oboConfig: TSchema = fields(
  'OboConfig',
  {
    tenantId: Type.Optional(
      Type.String({
        maxLength: 253,
        ...form('^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$', 'a GUID or a domain name', 'contoso.onmicrosoft.com'),
        description: 'Tenant of Microsoft Entra ID, as GUID or domain name.',
      }),
    ),
    authority: Type.Optional(
      Type.String({
        ...form(
          '^https://[^\\s?#@]*[^\\s?#@/]$',
          'an https URL without user, query, fragment and slash at its end',
          'https://login.example.com',
        ),
        description: 'Base URL of the login service: https, without user, query, fragment or trailing slash.',
      }),
    ),
    clientId: Type.Optional(Type.String({ description: 'Client identifier of the confidential client.' })),
    clientSecretRef: Type.Optional(refined(secretKeyRef, { description: 'Secret of the confidential client.' })),
    audience: Type.Optional(Type.String({ description: 'Audience of the new token; used if `scopes` is empty.' })),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 20,
        description: 'Delegated scopes to request.',
      }),
    ),
    subjectTokenProviderName: Type.Optional(
      upstreamName({ description: "Upstream whose token is exchanged. Absent: the caller's token." }),
    ),
    cacheSkew: Type.Optional(duration({ description: 'How long before its expiry a cached token is renewed.' })),
  },
  { description: 'On-behalf-of flow: obtains a delegated token for the user from Microsoft Entra ID.' },
);
