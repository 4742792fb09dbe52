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
    accessTokenLifespan: Type.Optional(duration({ default: '1h', description: 'Lifetime of an access token.' })),
    refreshTokenLifespan: Type.Optional(
      duration({ default: '168h', description: 'Lifetime of a refresh token; 168h are 7 days.' }),
    ),
    authCodeLifespan: Type.Optional(duration({ default: '10m', description: 'Lifetime of an authorization code.' })),
  },
  { description: 'Lifetimes of tokens and codes.' },
);

const clientMetadataDocuments: TSchema = fields(
  'ClientMetadataDocuments',
  {
    enabled: Type.Boolean({ default: false, description: 'Accept https URLs as client identifiers.' }),
    cacheMaxSize: Type.Optional(
      Type.Integer({ minimum: 1, default: 256, description: 'Maximum number of documents in the cache.' }),
    ),
    cacheFallbackTtl: Type.Optional(
      duration({
        default: '5m',
        description:
          'How long a fetched document is used before it is fetched again, independent of the cache headers of its host.',
      }),
    ),
  },
  {
    description:
      'Client ID metadata documents: a client uses the https URL of its metadata as client identifier instead of registering.',
  },
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
          'Base URL that browsers use for `/oauth/authorize`, if it differs from the issuer. All other endpoints are below the issuer.',
      }),
    ),
    signingKeySecretRefs: Type.Optional(
      Type.Array(secretKeyRef, {
        maxItems: 5,
        description:
          'Private keys that sign tokens: the first signs, the others only verify. Without keys, the gateway generates one at start, and a restart invalidates all tokens.',
      }),
    ),
    hmacSecretRefs: Type.Optional(
      Type.Array(secretKeyRef, {
        description:
          'Random secrets of at least 32 bytes that protect codes and refresh tokens: the first is used for new ones, the others only verify. Without secrets, the gateway generates one at start, and a restart invalidates codes and refresh tokens.',
      }),
    ),
    tokenLifespans: Type.Optional(tokenLifespans),
    upstreamProviders: listMap(upstreamProvider, ['name'], {
      minItems: 1,
      description: 'Identity providers at which users sign in. The first is the default.',
    }),
    primaryUpstreamProvider: Type.Optional(
      upstreamName({
        description:
          'Upstream whose claims authorization policies read. Default: the first upstream. Only a VirtualMCPServer uses this field.',
      }),
    ),
    storage: Type.Optional(authServerStorage),
    disableUpstreamTokenInjection: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Send no upstream tokens to backends. The client's credentials are not sent either. Policies can still read the claims of the upstream.",
      }),
    ),
    insecureAllowHTTP: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Permit a plain http issuer on a host that is not loopback. Tokens are then sent unencrypted.',
      }),
    ),
    baselineClientScopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, ...SCOPE }), {
        maxItems: 10,
        description:
          'Scopes that every dynamically registered client gets in addition to those that it requests. Each must be a supported scope; keep the list short.',
      }),
    ),
    allowConfidentialClientRegistration: Type.Optional(
      Type.Boolean({ default: false, description: 'Allow dynamic registration to issue client secrets.' }),
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
        description:
          'Exact redirect URIs. A client that registers one of them always gets a secret, even if it requests none.',
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
      'An OAuth authorization server inside the gateway: users sign in through the upstreams, and the server issues its own tokens.',
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
