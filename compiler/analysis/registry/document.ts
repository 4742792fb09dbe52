import type { RegistryConfig, RegistryOAuth, RegistryProvider } from '#schemas';
import type { ResourceDocument } from '../../source/classify.ts';
import type { Path } from '../../source/source-document.ts';

/** A valid registry configuration: a file, or the text in an MCPRegistry. */
export interface RegistryDocument {
  /** The document and the object that owns it. Paths start at the root of the configuration. */
  readonly document: ResourceDocument;
  /** The configuration with its defaults filled in. */
  readonly config: RegistryConfig;
  readonly authored: unknown;
}

/** A value with its path, for findings. */
export interface ValueAtPath<T> {
  readonly value: T;
  readonly path: Path;
}

/** The settings for tokens; undefined in anonymous mode. */
export function findOAuth({ config }: RegistryDocument): ValueAtPath<RegistryOAuth> | undefined {
  const { mode, oauth } = config.auth;
  return mode === 'anonymous' || oauth === undefined ? undefined : { value: oauth, path: ['auth', 'oauth'] };
}

/** The identity providers; empty in anonymous mode. */
export function listProviders(registry: RegistryDocument): ValueAtPath<RegistryProvider>[] {
  const oauth = findOAuth(registry);
  if (oauth === undefined) return [];
  return oauth.value.providers.map((value, index) => ({ value, path: [...oauth.path, 'providers', index] }));
}

/** The URLs that the server connects to for a provider; the issuer's is among them only if discovery has to find the keys. */
export function listContactedUrls({ value, path }: ValueAtPath<RegistryProvider>): ValueAtPath<string>[] {
  const { issuerUrl, jwksUrl, introspectionUrl } = value;
  const keys = jwksUrl === undefined ? 'issuerUrl' : 'jwksUrl';
  return [
    { value: jwksUrl ?? issuerUrl, path: [...path, keys] },
    ...(introspectionUrl === undefined ? [] : [{ value: introspectionUrl, path: [...path, 'introspectionUrl'] }]),
  ];
}
