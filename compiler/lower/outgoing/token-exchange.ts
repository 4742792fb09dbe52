import type { SecretSource, TokenExchangeConfig, TokenExchangePlan, TokenExchangeStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerClient, lowerInlineSecret, lowerReferredSecret } from './secrets.ts';
import { chooseSubject } from './subject.ts';

/** RFC 8693, section 3. */
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';

const SHORT_TYPES: ReadonlySet<string> = new Set(['access_token', 'id_token', 'jwt']);

export function lowerInlineExchange(
  block: Tracked<TokenExchangeStrategy>,
  upstreams: readonly string[],
): TokenExchangePlan | undefined {
  const secret = lowerInlineSecret(block, 'clientSecretEnv', 'clientSecret');
  return secret === 'literal' ? undefined : lowerExchange(block, 'clientSecretEnv', secret, upstreams);
}

export function lowerReferredExchange(
  block: Tracked<TokenExchangeConfig>,
  config: string,
  upstreams: readonly string[],
): TokenExchangePlan {
  const ref = block.get('clientSecretRef');
  block.ignore(
    'externalTokenHeaderName',
    'a gateway puts the new token into Authorization; only proxies read this field',
  );
  const secret = ref && lowerReferredSecret(ref, 'TOKEN_EXCHANGE_CLIENT_SECRET', config);
  return lowerExchange(block, 'clientSecretRef', secret, upstreams);
}

type TokenExchangeBlock = Omit<TokenExchangeStrategy, 'clientSecret' | 'clientSecretEnv'>;

function lowerExchange<S extends string>(
  block: Tracked<TokenExchangeBlock & { readonly [K in S]?: unknown }>,
  secretField: S,
  secret: SecretSource | undefined,
  upstreams: readonly string[],
): TokenExchangePlan {
  return {
    type: 'token_exchange',
    tokenUrl: block.get('tokenUrl'),
    client: lowerClient(block, 'clientId', secretField, secret),
    audience: block.get('audience') || null,
    // No field of a spec sets the parameter `resource` of the exchange.
    resource: null,
    scopes: block.get('scopes') ?? [],
    subjectTokenType: toTokenType(block.get('subjectTokenType')),
    subject: chooseSubject(block.get('subjectProviderName'), upstreams),
  };
}

/** Expands short forms to URNs; default: an access token. */
function toTokenType(tokenType: string | undefined): string {
  if (tokenType === undefined || tokenType === '') return `${TOKEN_TYPE}access_token`;
  return SHORT_TYPES.has(tokenType) ? `${TOKEN_TYPE}${tokenType}` : tokenType;
}
