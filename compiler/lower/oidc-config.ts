/** Lowers an MCPOIDCConfig as the identity provider of one gateway. */
import {
  ENV_PREFIX,
  type InlineOidc,
  type SecretSource,
  type ServiceAccountOidc,
  type TokenProviderPlan,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { toMountedSecret } from '../resolve/mounted-secret.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { lowerCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { lowerProviderAddresses, lowerProviderKeys } from './token-provider.ts';

/** The variable for a client secret that is not mounted. */
const CLIENT_SECRET_ENV = `${ENV_PREFIX}OIDC_CLIENT_SECRET`;

/** The folder in which every pod has its credentials for the API server. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const DEFAULT_ISSUER = 'https://kubernetes.default.svc';

/** The settings of a provider that an MCPOIDCConfig gives in a different form for each of its types. */
type Settings = Pick<TokenProviderPlan, 'issuer' | 'introspection' | 'keysToken' | 'trust' | 'allowsHttp'> & {
  readonly jwksUrl: string | undefined;
  readonly allowsPrivate: boolean;
};

function lowerProvider(name: string, audience: string, settings: Settings): TokenProviderPlan {
  const { jwksUrl, allowsPrivate, ...plan } = settings;
  const { issuer, introspection } = plan;
  const urls = [jwksUrl ?? issuer, ...(introspection === null ? [] : [introspection.url])];
  return {
    name,
    audience,
    ...plan,
    keys: lowerProviderKeys(issuer, jwksUrl),
    addresses: lowerProviderAddresses(allowsPrivate, urls),
  };
}

/** Undefined when an error was reported. */
export function inlineProvider(
  context: LoweringContext,
  config: Resource,
  inline: Tracked<InlineOidc> | undefined,
  audience: string,
): TokenProviderPlan | undefined {
  const issuer = inline?.get('issuer') ?? '';
  if (inline === undefined || issuer === '') {
    const path = ['spec', 'inline', 'issuer'];
    context.report(config, 'LNT1010', path, 'the issuer is empty, so no token could be accepted');
    return undefined;
  }
  const caRef = inline.child('caBundleRef');
  const pem = lowerCaBundle(context, config, caRef);
  const tokenFile = inline.get('jwksAuthTokenPath');
  inline.ignore('protectedResourceAllowPrivateIP', 'the gateway serves its metadata itself and fetches none');
  return lowerProvider(config.name, audience, {
    issuer,
    jwksUrl: inline.get('jwksUrl') || undefined,
    introspection: inlineIntrospection(inline),
    keysToken: tokenFile ? { env: null, file: tokenFile } : null,
    trust: pem === undefined ? { type: 'default' } : { type: 'pem', pem, replaces: true },
    allowsPrivate: inline.get('jwksAllowPrivateIP') === true,
    allowsHttp: inline.get('insecureAllowHTTP') === true,
  });
}

/** The token for fetching keys is not used for introspection. */
function inlineIntrospection(inline: Tracked<InlineOidc>): TokenProviderPlan['introspection'] {
  const url = inline.get('introspectionUrl') || undefined;
  const clientId = inline.peek('clientId') || undefined;
  const secretRef = inline.peek('clientSecretRef');
  if (url === undefined) {
    inline.ignore('clientId', 'there is no introspectionUrl');
    inline.ignore('clientSecretRef', 'there is no introspectionUrl');
    return null;
  }
  if (clientId === undefined || secretRef === undefined) {
    inline.ignore('clientId', 'there is no clientSecretRef to prove it with');
    inline.ignore('clientSecretRef', 'there is no clientId');
    return { url, credentials: { type: 'none' } };
  }
  inline.get('clientId');
  inline.get('clientSecretRef');
  return { url, credentials: { type: 'basic', clientId, secret: toMountedSecret(secretRef, CLIENT_SECRET_ENV) } };
}

/** Tokens of Kubernetes service accounts. `serviceAccount` and `namespace` are informational. */
export function lowerServiceAccountProvider(
  config: Resource,
  account: Tracked<ServiceAccountOidc> | undefined,
  audience: string,
): TokenProviderPlan {
  account?.get('serviceAccount');
  account?.get('namespace');
  const usesClusterAuth = account?.get('useClusterAuth') !== false;
  const token: SecretSource | null = usesClusterAuth ? { env: null, file: `${SERVICE_ACCOUNT}/token` } : null;
  const introspectionUrl = account?.get('introspectionUrl') || undefined;
  return lowerProvider(config.name, audience, {
    issuer: account?.get('issuer') || DEFAULT_ISSUER,
    jwksUrl: account?.get('jwksUrl') || undefined,
    introspection:
      introspectionUrl === undefined
        ? null
        : { url: introspectionUrl, credentials: token === null ? { type: 'none' } : { type: 'bearer', token } },
    keysToken: token,
    trust: usesClusterAuth ? { type: 'file', path: `${SERVICE_ACCOUNT}/ca.crt`, replaces: true } : { type: 'default' },
    allowsPrivate: usesClusterAuth,
    allowsHttp: false,
  });
}
