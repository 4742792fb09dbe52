import type { RegistryConfig, RegistryOAuth, RegistryProvider } from '#schemas';
import type { ResourceDocument } from '../../source/classify.ts';
import type { Path } from '../../source/source-document.ts';

/** A configuration of a registry server that fits the schema: a file of its own, or the text inside of an MCPRegistry. */
export interface RegistryDocument {
  /** Where it is, and whose it is: paths start at the root of the configuration. */
  readonly document: ResourceDocument;
  /** With defaults. */
  readonly config: RegistryConfig;
  readonly written: unknown;
}

/** What a value stands at, for findings. */
export interface Placed<T> {
  readonly value: T;
  readonly path: Path;
}

/** How tokens are judged; nothing in anonymous mode. */
export function findOAuth({ config }: RegistryDocument): Placed<RegistryOAuth> | undefined {
  const { mode, oauth } = config.auth;
  return mode === 'anonymous' || oauth === undefined ? undefined : { value: oauth, path: ['auth', 'oauth'] };
}

/** The providers that are asked; none in anonymous mode. */
export function listProviders(registry: RegistryDocument): Placed<RegistryProvider>[] {
  const oauth = findOAuth(registry);
  if (oauth === undefined) return [];
  return oauth.value.providers.map((value, index) => ({ value, path: [...oauth.path, 'providers', index] }));
}

/** The URLs that the server connects to for a provider: the issuer's only when discovery has to find the keys. */
export function contactedUrls({ value, path }: Placed<RegistryProvider>): Placed<string>[] {
  const { issuerUrl, jwksUrl, introspectionUrl } = value;
  const keys = jwksUrl === undefined ? 'issuerUrl' : 'jwksUrl';
  return [
    { value: jwksUrl ?? issuerUrl, path: [...path, keys] },
    ...(introspectionUrl === undefined ? [] : [{ value: introspectionUrl, path: [...path, 'introspectionUrl'] }]),
  ];
}
