/** Who calls: the people of a company with the tokens that they might bring. */
import type { ProviderHost } from './hosts.ts';

/** Claims that tell people apart: groups in each claim that may list them, alone and together, and what conditions ask for. */
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
  /** Whose key signs it, or who knows it where it is opaque. */
  readonly host: ProviderHost;
  readonly opaque?: true;
  /** Without an issuer where the host that knows it is the one. */
  readonly claims: { readonly iss?: string; readonly aud: string; readonly scope?: string };
}

export const AUDIENCE = 'https://mcp.example.org';
export const OTHER_AUDIENCE = 'https://api.example.org';

/** What else they could claim does not count for whether they get in. */
const PERSON = 'ada';

const ISSUERS = ['login.example.org', 'partner.example.org', 'mixed.example.org'] as const;

const SIGNERS = [
  'login.example.org',
  'partner.example.org',
  'keys.example.org',
  'plain.example.org',
  'inner.example.org',
] as const;

/** What tokens may be for, each with what it is called. */
const PURPOSES = [
  ['', { aud: AUDIENCE, scope: 'mcp' }],
  [', without scope', { aud: AUDIENCE }],
  [', for another API', { aud: OTHER_AUDIENCE, scope: 'mcp' }],
  [', for another API, without scope', { aud: OTHER_AUDIENCE }],
] as const;

/** Every token is one of these: the owner of the keys of a host may sign in the name of any caller. */
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

/** What callers send with each request; gateways hand on some of it. */
export const CALLER_HEADERS: Readonly<Record<string, string>> = {
  'x-tenant': 'north',
  'x-request-id': 'r-1',
  'x-locale': 'en',
};

export function opaqueToken({ name }: TokenClass): string {
  return name.replaceAll(/[^a-z]+/gi, '~');
}

/** As the token's own claims or the answer of an introspection. Times are in seconds since 1970. */
export function claimsOf({ claims }: TokenClass): Readonly<Record<string, unknown>> {
  return { ...claims, sub: PERSON, client_id: 'cli', iat: 1_700_000_000, exp: 4_900_000_000, ...PEOPLE[PERSON] };
}
