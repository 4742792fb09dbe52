/** The callers: users of a company, with the tokens that they may have. */
import type { ProviderHost } from './hosts.ts';

/** Claims that distinguish users: groups in each claim that may list them, alone and combined, and claims that conditions read. */
export const PEOPLE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ada: { groups: ['admins'] },
  ann: { groups: ['admins'], dept: 'sales' },
  dan: { groups: ['dev'], dept: 'research' },
  ian: { groups: ['interns'] },
  lea: { groups: ['leads'], dept: 'sales' },
  lou: { groups: ['leads', 'admins'], dept: 'research' },
  mia: { groups: ['dev', 'interns'] },
  rob: { roles: ['admins'] },
  rod: { roles: ['dev'], dept: 'sales' },
  rin: { roles: ['interns'] },
  tom: { groups: ['dev'], teams: ['admins'] },
  tod: { teams: ['dev'] },
  tia: { teams: ['interns'], dept: 'research' },
  kim: { groups: [], realm: { roles: ['admins'] } },
  kip: { groups: ['dev'], realm: { roles: ['interns'] } },
  bot: {},
};

export interface TokenClass {
  readonly name: string;
  /** The host whose key signs it or, for an opaque token, that knows it. */
  readonly host: ProviderHost;
  readonly opaque?: true;
  /** Without an issuer where the host that knows the token adds its own. */
  readonly claims: { readonly iss?: string; readonly aud: string; readonly scope?: string };
}

export const AUDIENCE = 'https://mcp.example.org';
export const OTHER_AUDIENCE = 'https://api.example.org';

/** One user is enough: other claims do not affect whether a token is accepted. */
const PERSON = 'ada';

const ISSUERS = ['login.example.org', 'partner.example.org', 'mixed.example.org'] as const;

const SIGNERS = [
  'login.example.org',
  'partner.example.org',
  'keys.example.org',
  'plain.example.org',
  'inner.example.org',
] as const;

/** Audiences that tokens may have, each with its name. */
const PURPOSES = [
  ['', { aud: AUDIENCE, scope: 'mcp' }],
  [', without scope', { aud: AUDIENCE }],
  [', for another API', { aud: OTHER_AUDIENCE, scope: 'mcp' }],
  [', for another API, without scope', { aud: OTHER_AUDIENCE }],
] as const;

/** Every token is in one of these classes, because the owner of a host's keys can sign for any caller. */
export const TOKEN_CLASSES: readonly TokenClass[] = [
  ...ISSUERS.flatMap(issuer =>
    SIGNERS.flatMap(host =>
      PURPOSES.map(([purpose, claims]) => ({
        name: `${issuer}, signed at ${host}${purpose}`,
        host,
        claims: { iss: `https://${issuer}`, ...claims },
      })),
    ),
  ),
  ...(['login.example.org', 'keys.example.org', 'inner.example.org'] as const).flatMap(host =>
    PURPOSES.map(([purpose, claims]) => ({
      name: `opaque, known to ${host}${purpose}`,
      host,
      opaque: true as const,
      claims,
    })),
  ),
];

/** Headers that callers send with each request; gateways forward some of them. */
export const CALLER_HEADERS: Readonly<Record<string, string>> = {
  'x-tenant': 'north',
  'x-request-id': 'r-1',
  'x-locale': 'en',
};

export function opaqueToken({ name }: TokenClass): string {
  return name.replaceAll(/[^a-z]+/gi, '~');
}

/** The claims that a token contains or that an introspection response gives for it. Times are in seconds since 1970. */
export function toClaims({ claims }: TokenClass): Readonly<Record<string, unknown>> {
  return { ...claims, sub: PERSON, client_id: 'cli', iat: 1_700_000_000, exp: 4_900_000_000, ...PEOPLE[PERSON] };
}
