import type { OboConfig, OboPlan, OboStrategy, SecretSource } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { parseDurationMs } from '../../text/duration.ts';
import { lowerClient, lowerInlineSecret, lowerReferredSecret } from './secrets.ts';

const DEFAULT_AUTHORITY = 'https://login.microsoftonline.com';

/** A cached token is replaced this long before it expires, so that it is still valid when a call arrives at the backend. */
const DEFAULT_CACHE_SKEW_SECONDS = 60;

export function lowerInlineObo(block: Tracked<OboStrategy>): OboPlan | undefined {
  const tokenUrl = block.get('tokenUrl');
  const skew = block.get('cacheSkewSeconds') ?? DEFAULT_CACHE_SKEW_SECONDS;
  const secret = lowerInlineSecret(block, 'clientSecretEnv', 'clientSecret');
  return secret === 'literal' ? undefined : lowerObo(block, 'clientSecretEnv', { tokenUrl, secret, skew });
}

/** The plan uses the token endpoint of the tenant; undefined when the block names no tenant. */
export function lowerReferredObo(block: Tracked<OboConfig>, config: string): OboPlan | undefined {
  const authority = block.get('authority') || DEFAULT_AUTHORITY;
  const tenant = block.get('tenantId') ?? '';
  const cacheSkew = block.get('cacheSkew');
  const skew = cacheSkew === undefined ? DEFAULT_CACHE_SKEW_SECONDS : Math.ceil(parseDurationMs(cacheSkew) / 1000);
  const ref = block.get('clientSecretRef');
  const secret = ref && lowerReferredSecret(ref, 'OBO_CLIENT_SECRET', config);
  const tokenUrl = `${authority}/${tenant}/oauth2/v2.0/token`;
  const plan = lowerObo(block, 'clientSecretRef', { tokenUrl, secret, skew });
  return tenant === '' ? undefined : plan;
}

type OboBlock = Pick<OboStrategy, 'clientId' | 'audience' | 'scopes' | 'subjectTokenProviderName'>;

interface Endpoint {
  readonly tokenUrl: string;
  readonly secret: SecretSource | undefined;
  /** Seconds. */
  readonly skew: number;
}

function lowerObo<S extends string>(
  block: Tracked<OboBlock & { readonly [K in S]?: unknown }>,
  secretField: S,
  { tokenUrl, secret, skew }: Endpoint,
): OboPlan {
  const provider = block.get('subjectTokenProviderName') ?? '';
  return {
    type: 'obo',
    tokenUrl,
    client: lowerClient(block, 'clientId', secretField, secret),
    audience: block.get('audience') || null,
    scopes: block.get('scopes') ?? [],
    // The default subject is the token of the caller, even if the gateway has an authorization server: a tenant only accepts tokens that it issued.
    subject: provider === '' ? { type: 'caller' } : { type: 'upstream', provider },
    cacheSkewSeconds: skew,
  };
}
