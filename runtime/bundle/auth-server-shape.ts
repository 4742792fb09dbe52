/** The shape of the embedded authorization server. */
import { boolean, count, httpUrl, nullable, oneOf, record, type Shape, seconds, string, variants } from './checks.ts';
import { SECRET } from './outgoing-shape.ts';
import { REDIS } from './redis-shape.ts';

const UPSTREAM: Shape = {
  name: string,
  clientId: nullable(string),
  clientSecret: nullable(SECRET),
  redirectUri: httpUrl,
  scopes: [string],
  authorizationParams: record(string),
  userInfo: nullable({
    url: httpUrl,
    method: oneOf('GET', 'POST'),
    headers: record(string),
    subjectFields: [string],
    nameFields: [string],
    emailFields: [string],
  }),
  addresses: oneOf('any', 'private', 'public'),
  allowsHttp: boolean,
};

export const AUTH_SERVER: Shape = {
  issuer: httpUrl,
  browserBase: httpUrl,
  resource: httpUrl,
  audience: string,
  scopes: [string],
  signingKeys: [SECRET],
  hmacSecrets: [SECRET],
  lifespans: { accessTokenSeconds: seconds, refreshTokenSeconds: seconds, authCodeSeconds: seconds },
  registration: { baselineScopes: [string], allowsSecrets: boolean, secretRedirectUris: [string] },
  delegateClients: [{ id: string, secret: SECRET, scopes: [string], audiences: [string] }],
  trustedIssuers: [
    {
      issuer: httpUrl,
      keys: { type: oneOf('discovery', 'jwks'), url: httpUrl },
      exchange: nullable({
        audience: string,
        clients: [string],
        actorClaim: string,
        actors: [string],
        actorMatcher: nullable(string),
        allowsMayAct: boolean,
      }),
      assertions: nullable({
        maxAgeSeconds: seconds,
        audiences: [string],
        subjects: [{ subject: string, resources: [string] }],
      }),
      addresses: oneOf('any', 'private', 'public'),
      allowsHttp: boolean,
    },
  ],
  clientDocuments: nullable({ maxCached: count, freshSeconds: seconds }),
  injectsUpstreamTokens: boolean,
  upstreams: [
    variants('type', {
      oidc: { ...UPSTREAM, issuer: httpUrl, subjectClaim: string },
      oauth2: {
        ...UPSTREAM,
        registration: nullable({
          discoveryUrl: nullable(httpUrl),
          endpoint: nullable(httpUrl),
          initialAccessToken: nullable(SECRET),
          softwareId: nullable(string),
          softwareStatement: nullable(string),
        }),
        authorizationEndpoint: httpUrl,
        tokenEndpoint: httpUrl,
        identityFromToken: nullable({
          subjectPath: string,
          namePath: nullable(string),
          emailPath: nullable(string),
        }),
        tokenResponse: nullable({
          accessTokenPath: string,
          refreshTokenPath: string,
          expiresInPath: string,
          scopePath: string,
        }),
      },
    }),
  ],
  storage: nullable({ redis: REDIS }),
};
