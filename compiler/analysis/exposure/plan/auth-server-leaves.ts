/** The leaves of the embedded authorization server: which persons can sign in, through which upstream, and which clients get tokens. */
import {
  access,
  availability,
  compareByRank,
  compareEach,
  credential,
  destination,
  type Leaves,
  NONE,
  opens,
  prefixLeaves,
  trust,
} from './leaf.ts';
import { findAddedScopes } from './outgoing-leaves.ts';
import { REDIS_LEAVES } from './redis-leaves.ts';
import { calmCredential, SECRET_SOURCE_LEAVES, secret } from './secret-leaves.ts';

const USER_INFO: Leaves = {
  '': access(),
  '.url': trust('url'),
  '.method': access(),
  '.headers{}': access('digest'),
  '.subjectFields': access(),
  '.nameFields': access(),
  '.emailFields': access(),
};

const UPSTREAM: Leaves = {
  '': access(),
  '.type': access(),
  '.name': access(),
  // Another client id lets other callers in, so this change is listed first.
  '.clientId': credential(),
  '.clientSecret': secret(),
  ...prefixLeaves('.clientSecret', SECRET_SOURCE_LEAVES),
  '.redirectUri': destination('url'),
  '.scopes': { ...credential(), alarm: findAddedScopes },
  '.authorizationParams{}': access('digest'),
  ...prefixLeaves('.userInfo', USER_INFO),
  '.addresses': compareByRank('trust', ['public', 'private', 'any']),
  '.allowsHttp': compareByRank('trust', [false, true]),
  '.issuer': trust('url'),
  '.subjectClaim': access(),
  '.authorizationEndpoint': trust('url'),
  '.tokenEndpoint': trust('url'),
  '.registration': secret(),
  '.registration.discoveryUrl': trust('url'),
  '.registration.endpoint': trust('url'),
  '.registration.initialAccessToken': secret(),
  ...prefixLeaves('.registration.initialAccessToken', SECRET_SOURCE_LEAVES),
  '.registration.softwareId': secret(),
  '.registration.softwareStatement': secret('digest'),
  '.identityFromToken': access(),
  '.identityFromToken.subjectPath': access(),
  '.identityFromToken.namePath': access(),
  '.identityFromToken.emailPath': access(),
  '.tokenResponse': access(),
  '.tokenResponse.accessTokenPath': secret(),
  '.tokenResponse.refreshTokenPath': secret(),
  '.tokenResponse.expiresInPath': calmCredential('how long a token is kept changes neither the token nor who gets it'),
  '.tokenResponse.scopePath': calmCredential('the scopes that are read are shown, and give nothing'),
};

const TRUSTED_ISSUER: Leaves = {
  '.issuer': access(),
  '.keys.type': trust(),
  '.keys.url': trust('url'),
  '.exchange': opens('access'),
  '.exchange.audience': access(),
  '.exchange.clients': access(),
  '.exchange.actorClaim': access(),
  // An empty list allows any actor.
  '.exchange.actors': access(),
  '.exchange.actorMatcher': access(),
  '.exchange.allowsMayAct': compareByRank('access', [false, true]),
  '.assertions': opens('access'),
  '.assertions.maxAgeSeconds': access(),
  '.assertions.audiences': compareEach('access', 'offers'),
  '.assertions.subjects[]': opens('access'),
  '.assertions.subjects[#]': NONE,
  '.assertions.subjects[].subject': access(),
  '.assertions.subjects[].resources': compareEach('access', 'offers'),
  '.addresses': compareByRank('trust', ['public', 'private', 'any']),
  '.allowsHttp': compareByRank('trust', [false, true]),
};

export const AUTH_SERVER_LEAVES: Leaves = {
  // The providers in `incomingAuth` say which tokens are accepted; this leaf still changes who can obtain one.
  '': access(),
  '.issuer': access(),
  '.browserBase': destination('url'),
  '.resource': access(),
  '.audience': access(),
  '.scopes': compareEach('access', 'offers'),
  '.signingKeys[]': trust(),
  // The first key signs, so the order matters.
  '.signingKeys[#]': trust(),
  ...prefixLeaves('.signingKeys[]', SECRET_SOURCE_LEAVES),
  '.hmacSecrets[]': trust(),
  '.hmacSecrets[#]': trust(),
  ...prefixLeaves('.hmacSecrets[]', SECRET_SOURCE_LEAVES),
  '.lifespans.accessTokenSeconds': access(),
  '.lifespans.refreshTokenSeconds': access(),
  '.lifespans.authCodeSeconds': access(),
  '.registration.baselineScopes': compareEach('access', 'offers'),
  '.registration.allowsSecrets': compareByRank('access', [false, true]),
  '.registration.secretRedirectUris': access(),
  '.delegateClients[]': opens('access'),
  // Identified by client id; the order does not matter.
  '.delegateClients[#]': NONE,
  '.delegateClients[].id': access(),
  ...prefixLeaves('.delegateClients[].secret', SECRET_SOURCE_LEAVES),
  '.delegateClients[].scopes': compareEach('access', 'offers'),
  '.delegateClients[].audiences': compareEach('access', 'offers'),
  '.trustedIssuers[]': opens('access'),
  // Identified by `iss`.
  '.trustedIssuers[#]': NONE,
  ...prefixLeaves('.trustedIssuers[]', TRUSTED_ISSUER),
  // With client documents, anyone with a web server can register a client.
  '.clientDocuments': access(),
  '.clientDocuments.maxCached': availability(),
  '.clientDocuments.freshSeconds': access(),
  '.injectsUpstreamTokens': {
    ...compareByRank('credential', [false, true]),
    ...{ calm: 'the credential of each backend says whether it gets such a token' },
  },
  '.upstreams[]': access(),
  // The first upstream establishes the person's identity.
  '.upstreams[#]': access(),
  ...prefixLeaves('.upstreams[]', UPSTREAM),
  '.storage': availability(),
  ...prefixLeaves('.storage.redis', REDIS_LEAVES),
};
