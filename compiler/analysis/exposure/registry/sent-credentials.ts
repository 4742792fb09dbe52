/** Which credential is sent to which host, and which hosts get callers' tokens. */
import {
  compareText,
  type RegistryBundle,
  type RegistryOrigin,
  type RegistrySourcePlan,
  type TokenProviderPlan,
} from '#schemas';
import { redactUrl } from '../redact-url.ts';
import type { SentCredential } from './registry-exposure.ts';

export function listSentCredentials({ auth, sources }: RegistryBundle): readonly SentCredential[] {
  const providers = auth.mode === 'oauth' ? auth.providers : [];
  return [...providers.flatMap(toProvider), ...sources.flatMap(toSource)].sort(
    (a, b) => compareText(a.to.type, b.to.type) || compareText(a.to.name, b.to.name) || compareText(a.use, b.use),
  );
}

function toProvider({ name, keys, keysToken, introspection }: TokenProviderPlan): SentCredential[] {
  const to = { type: 'provider', name } as const;
  return [
    ...(keysToken === null
      ? []
      : [{ to, use: 'keys', url: redactUrl(keys.url), type: 'bearer', ...toOptionalFile(keysToken) } as const]),
    ...(introspection === null
      ? []
      : [
          {
            to,
            use: 'introspection',
            url: redactUrl(introspection.url),
            ...toShownCredentials(introspection.credentials),
          } as const,
        ]),
  ];
}

type IntrospectionCredentials = NonNullable<TokenProviderPlan['introspection']>['credentials'];

function toShownCredentials(credentials: IntrospectionCredentials): Pick<SentCredential, 'type' | 'username' | 'file'> {
  switch (credentials.type) {
    case 'none':
      return { type: 'none' };
    case 'public':
      return { type: 'public', username: credentials.clientId };
    case 'basic':
      return { type: 'basic', username: credentials.clientId, ...toOptionalFile(credentials.secret) };
    case 'bearer':
      return { type: 'bearer', ...toOptionalFile(credentials.token) };
  }
}

function toSource({ name, from }: RegistrySourcePlan): SentCredential[] {
  if (!('credentials' in from) || !from.credentials) return [];
  const url = formatOrigin(from);
  const { credentials } = from;
  const to = { type: 'source', name } as const;
  if ('tokenFile' in credentials) return [{ to, use: 'entries', url, type: 'bearer', file: credentials.tokenFile }];
  const { username, passwordFile: file } = credentials;
  return [{ to, use: 'entries', url, type: 'basic', username, file }];
}

/** Where a source reads its entries: a URL without user information and query, or a path. */
export function formatOrigin(from: RegistryOrigin): string {
  switch (from.type) {
    case 'git':
      return redactRepository(from.repository);
    case 'api':
      return redactUrl(from.endpoint);
    case 'url':
      return redactUrl(from.url);
    case 'file':
      return from.path;
    case 'bundled':
      return from.entries.origin;
  }
}

/** The address of a repository without secrets. `git@host:path` is not a URL and contains none. */
function redactRepository(text: string): string {
  return URL.parse(text) === null ? text : redactUrl(text);
}

function toOptionalFile({ file }: { readonly file: string | null }): { readonly file?: string } {
  return file === null ? {} : { file };
}
