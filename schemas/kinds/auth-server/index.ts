/** The embedded OAuth authorization server: inline in VirtualMCPServer, by reference for the proxies. */
import { type TObject, type TSchema, Type } from 'typebox';
import { upstreamName } from '../authz-config.ts';
import { duration, HTTPS_URL, secretKeyRef } from '../blocks.ts';
import { type Form, fields, form, listMap } from '../define.ts';
import { delegateClient } from './delegate-client.ts';
import { authServerStorage } from './storage.ts';
import { trustedIssuer } from './trusted-issuer.ts';
import { upstreamProvider } from './upstream-provider.ts';

/** http or https, without query, fragment or trailing slash. */
const ISSUER: Form = form(
  '^https?://[^\\s?#]+[^/\\s?#]$',
  'an http or https URL without query, fragment and slash at its end',
  'https://auth.example.com',
);

/** The characters of an OAuth scope (RFC 6749, section 3.3). */
const SCOPE: Form = form(
  '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$',
  'a scope: printable characters without spaces, quotes and backslashes',
  'tools:read',
);

const tokenLifespans: TSchema = fields(
  'TokenLifespans',
  {
    accessTokenLifespan: Type.Optional(duration({ default: '1h', description: 'Life of an access token.' })),
    refreshTokenLifespan: Type.Optional(
      duration({ default: '168h', description: 'Life of a refresh token; 168h are 7 days.' }),
    ),
    authCodeLifespan: Type.Optional(duration({ default: '10m', description: 'Life of an authorization code.' })),
  },
  { description: 'How long issued tokens and codes live.' },
);

const clientMetadataDocuments: TSchema = fields(
  'ClientMetadataDocuments',
  {
    enabled: Type.Boolean({ default: false, description: 'Accept client identifiers that are https URLs.' }),
    cacheMaxSize: Type.Optional(
      Type.Integer({ minimum: 1, default: 256, description: 'Documents to keep in the cache.' }),
    ),
    cacheFallbackTtl: Type.Optional(duration({ default: '5m', description: 'How long a fetched document is reused.' })),
  },
  { description: 'Client-ID metadata documents: clients that describe themselves at a URL instead of registering.' },
);

export const embeddedAuthServer: TObject = fields(
  'EmbeddedAuthServer',
  {
    issuer: Type.String({
      ...ISSUER,
      description:
        'Issuer identifier and `iss` of issued tokens (RFC 8414). Plain http is for loopback hosts or `insecureAllowHTTP`.',
    }),
    authorizationEndpointBaseUrl: Type.Optional(
      Type.String({
        ...ISSUER,
        description:
          'Base URL that browsers use for `/oauth/authorize`, when it differs from the issuer. All other endpoints stay under the issuer.',
      }),
    ),
    signingKeySecretRefs: Type.Optional(
      Type.Array(secretKeyRef, {
        maxItems: 5,
        description:
          'Private keys for signing tokens: the first signs, the others only verify. Without any a throw-away key is made, and a restart invalidates all tokens.',
      }),
    ),
    hmacSecretRefs: Type.Optional(
      Type.Array(secretKeyRef, {
        description:
          'Random secrets of at least 32 bytes that protect codes and refresh tokens: the first is used, the others only verify. Without any a throw-away secret is made.',
      }),
    ),
    tokenLifespans: Type.Optional(tokenLifespans),
    upstreamProviders: listMap(upstreamProvider, ['name'], {
      minItems: 1,
      description: 'Identity providers through which people sign in; the first is the default.',
    }),
    primaryUpstreamProvider: Type.Optional(
      upstreamName({
        description:
          'Upstream whose claims authorization policies read. Default: the first. It matters to VirtualMCPServer only.',
      }),
    ),
    storage: Type.Optional(authServerStorage),
    disableUpstreamTokenInjection: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Remove the credentials of the client and do not put the upstream token in their place.',
      }),
    ),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Permit a plain http issuer on a host that is not loopback; tokens then travel in the clear.',
      }),
    ),
    baselineClientScopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, ...SCOPE }), {
        maxItems: 10,
        description:
          'Scopes that every dynamically registered client gets in addition to those it asks for. Each must be a supported scope; keep the list short.',
      }),
    ),
    allowConfidentialClientRegistration: Type.Optional(
      Type.Boolean({ default: false, description: 'Let dynamic registration hand out client secrets.' }),
    ),
    insecureAllowConfidentialOverLoopbackHTTP: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Permit client secrets with an http issuer on a loopback host; for development only.',
      }),
    ),
    forceConfidentialRedirectUris: Type.Optional(
      Type.Array(Type.String({ ...HTTPS_URL }), {
        maxItems: 10,
        description: 'Exact redirect URIs whose clients always get a secret, even when they ask for none.',
      }),
    ),
    delegateClients: Type.Optional(
      listMap(delegateClient, ['clientId'], {
        maxItems: 10,
        description: 'Clients registered in advance for token exchange.',
      }),
    ),
    trustedIssuers: Type.Optional(
      Type.Array(trustedIssuer, { maxItems: 20, description: 'Foreign issuers whose tokens may be exchanged.' }),
    ),
    cimd: Type.Optional(clientMetadataDocuments),
  },
  {
    description:
      'An OAuth authorization server inside the gateway: people sign in through the upstreams, and the server issues its own tokens.',
    rules: [
      {
        rule: '!(has(self.allowConfidentialClientRegistration) && self.allowConfidentialClientRegistration && has(self.insecureAllowHTTP) && self.insecureAllowHTTP)',
        message:
          'allowConfidentialClientRegistration cannot be combined with insecureAllowHTTP: client secrets would cross the network unencrypted',
      },
      {
        rule: "!has(self.delegateClients) || size(self.delegateClients) == 0 || self.issuer.startsWith('https://')",
        message: 'delegateClients need an issuer that starts with https://',
      },
      {
        rule: '!has(self.forceConfidentialRedirectUris) || size(self.forceConfidentialRedirectUris) == 0 || (has(self.allowConfidentialClientRegistration) && self.allowConfidentialClientRegistration)',
        message: 'forceConfidentialRedirectUris has no effect unless allowConfidentialClientRegistration is true',
      },
    ],
  },
);
