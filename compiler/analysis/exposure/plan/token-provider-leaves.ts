/** The leaves of an identity provider: which tokens it accepts, verified with which keys. */
import { isObject } from '#schemas';
import type { Effect } from '../difference/difference.ts';
import {
  access,
  type Comparison,
  compareByRank,
  type LeafChange,
  type Leaves,
  opens,
  prefixLeaves,
  presentation,
  trust,
} from './leaf.ts';
import { SECRET_SOURCE_LEAVES, secret } from './secret-leaves.ts';

const TRUST_TYPE: Comparison = {
  meaning: 'trust',
  effect: ({ was, is, holders }: LeafChange): Effect => {
    // Authorities added to the defaults only widen trust; replacing the defaults is not comparable.
    const isMore = (holder: unknown) => isObject(holder) && holder.replaces === false;
    if (was === 'default' && isMore(holders.is)) return 'wider';
    return is === 'default' && isMore(holders.was) ? 'narrower' : 'mixed';
  },
};

const RANKED_HTTP = compareByRank('trust', [false, true]).effect as (change: LeafChange) => Effect;

/** Whether http URLs are allowed. This only matters if a URL comes from the provider's document, or is an http URL. */
const ALLOWS_HTTP: Comparison = {
  meaning: 'trust',
  effect: change => {
    const isSecure = (url: unknown) => typeof url === 'string' && url.startsWith('https:');
    const isFixed = (provider: unknown) =>
      isObject(provider) &&
      isObject(provider.keys) &&
      provider.keys.type === 'jwks' &&
      isSecure(provider.keys.url) &&
      (provider.introspection === null || (isObject(provider.introspection) && isSecure(provider.introspection.url)));
    const { was, is } = change.holders;
    return isFixed(was) && isFixed(is) ? 'same' : RANKED_HTTP(change);
  },
};

const LEAVES: Leaves = {
  '.name': presentation(),
  '.issuer': access(),
  '.audience': access(),
  '.keys.type': trust(),
  '.keys.url': trust('url'),
  '.keysToken': secret(),
  ...prefixLeaves('.keysToken', SECRET_SOURCE_LEAVES),
  // Introspection also accepts tokens that are not JWTs.
  '.introspection': opens('access'),
  '.introspection.url': trust('url'),
  '.introspection.credentials.type': secret(),
  '.introspection.credentials.clientId': secret(),
  ...prefixLeaves('.introspection.credentials.secret', SECRET_SOURCE_LEAVES),
  ...prefixLeaves('.introspection.credentials.token', SECRET_SOURCE_LEAVES),
  '.trust.type': TRUST_TYPE,
  '.trust.pem': trust('digest'),
  '.trust.path': trust(),
  '.trust.replaces': compareByRank('trust', [true, false]),
  '.addresses': compareByRank('trust', ['public', 'private', 'any']),
  '.allowsHttp': ALLOWS_HTTP,
};

export { LEAVES as TOKEN_PROVIDER_LEAVES };

/** The leaf of a URL that clients are sent to for the sign-in: the host of the URL gets what people type. */
function namesHost(shown?: Comparison['shown']): Comparison {
  return {
    meaning: 'destination',
    effect: change => (hasOtherHost(change) ? 'mixed' : 'same'),
    alarm: change => (hasOtherHost(change) ? 'otherSignIn' : undefined),
    ...(shown && { shown }),
  };
}

/** Whether a host is named now that was not named before. Without a document no host is named. */
function hasOtherHost({ was, is }: LeafChange): boolean {
  const [old, now] = [listOrigins(was), listOrigins(is)];
  return old.length > 0 && now.some(origin => !old.includes(origin));
}

function listOrigins(value: unknown): readonly string[] {
  return [value].flat().flatMap(url => (typeof url === 'string' ? [URL.parse(url)?.origin ?? url] : []));
}

/** Documents for clients. Which tokens are accepted depends on the providers alone. */
export const RESOURCE_METADATA_LEAVES: Leaves = {
  '.url': namesHost('url'),
  '.paths': presentation(),
  '.document.resource': namesHost('url'),
  // The issuers, whose leaves have an alarm of their own.
  '.document.authorization_servers': {
    meaning: 'destination',
    effect: change => (hasOtherHost(change) ? 'mixed' : 'same'),
  },
  '.document.bearer_methods_supported': presentation(),
  '.document.scopes_supported': presentation(),
  '.document.resource_documentation': presentation('url'),
};
