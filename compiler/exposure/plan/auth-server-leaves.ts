/** The leaves of the embedded authorization server: who can sign in, through whom, and which clients get tokens. */
import { access, at, availability, credential, destination, each, type Leaves, ranked, trust } from './leaf.ts';
import { REDIS_LEAVES } from './redis-leaves.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

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
  '.clientId': credential(),
  '.clientSecret': credential(),
  ...at('.clientSecret', SECRET_SOURCE_LEAVES),
  '.redirectUri': destination('url'),
  '.scopes': credential(),
  '.authorizationParams{}': access('digest'),
  ...at('.userInfo', USER_INFO),
  '.addresses': ranked('trust', ['public', 'private', 'any']),
  '.allowsHttp': ranked('trust', [false, true]),
  '.issuer': trust('url'),
  '.subjectClaim': access(),
  '.authorizationEndpoint': trust('url'),
  '.tokenEndpoint': trust('url'),
  '.registration': credential(),
  '.registration.discoveryUrl': trust('url'),
  '.registration.endpoint': trust('url'),
  '.registration.initialAccessToken': credential(),
  ...at('.registration.initialAccessToken', SECRET_SOURCE_LEAVES),
  '.registration.softwareId': credential(),
  '.registration.softwareStatement': credential('digest'),
  '.identityFromToken': access(),
  '.identityFromToken.subjectPath': access(),
  '.identityFromToken.namePath': access(),
  '.identityFromToken.emailPath': access(),
  '.tokenResponse': access(),
  '.tokenResponse.accessTokenPath': credential(),
  '.tokenResponse.refreshTokenPath': credential(),
  '.tokenResponse.expiresInPath': credential(),
  '.tokenResponse.scopePath': credential(),
};

export const AUTH_SERVER_LEAVES: Leaves = {
  // Who gets in by its tokens stands with the providers of `incomingAuth`; who can get one changes with it all the same.
  '': access(),
  '.issuer': access(),
  '.browserBase': destination('url'),
  '.resource': access(),
  '.audience': access(),
  '.scopes': each('access', 'offers'),
  '.signingKeys[]': trust(),
  // The first signs.
  '.signingKeys[#]': trust(),
  ...at('.signingKeys[]', SECRET_SOURCE_LEAVES),
  '.hmacSecrets[]': trust(),
  '.hmacSecrets[#]': trust(),
  ...at('.hmacSecrets[]', SECRET_SOURCE_LEAVES),
  '.lifespans.accessTokenSeconds': access(),
  '.lifespans.refreshTokenSeconds': access(),
  '.lifespans.authCodeSeconds': access(),
  '.registration.baselineScopes': each('access', 'offers'),
  '.registration.allowsSecrets': ranked('access', [false, true]),
  '.registration.secretRedirectUris': access(),
  // With them, whoever has a web server has a client.
  '.clientDocuments': access(),
  '.clientDocuments.maxCached': availability(),
  '.clientDocuments.freshSeconds': access(),
  '.injectsUpstreamTokens': ranked('credential', [false, true]),
  '.upstreams[]': access(),
  // The first says who people are.
  '.upstreams[#]': access(),
  ...at('.upstreams[]', UPSTREAM),
  '.storage': availability(),
  ...at('.storage.redis', REDIS_LEAVES),
};
