/** Who calls: the people of a company with the tokens that they might bring. */
import type { ProviderHost } from './hosts.ts';

/** Claims that tell people apart. */
export const PEOPLE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ada: { groups: ['admins'] },
  dan: { groups: ['dev'], dept: 'research' },
  ian: { groups: ['interns'] },
  mia: { groups: ['dev', 'interns'] },
  lea: { groups: ['leads'], dept: 'sales' },
  rob: { roles: ['admins'] },
  tom: { groups: ['dev'], teams: ['admins'] },
  kim: { groups: [], realm: { roles: ['admins'] } },
  bot: {},
};

export interface TokenClass {
  readonly name: string;
  /** Whose key signs it, or who knows it where it is opaque. */
  readonly host: ProviderHost;
  readonly opaque?: true;
  readonly claims: { readonly iss: string; readonly aud: string; readonly scope?: string };
}

export const AUDIENCE = 'https://mcp.example.org';
export const OTHER_AUDIENCE = 'https://api.example.org';

const iss = (host: ProviderHost) => `https://${host}`;
const LOGIN = iss('login.example.org');
const good = { iss: LOGIN, aud: AUDIENCE, scope: 'mcp' };

/** Every token is one of these, for each person. */
export const TOKEN_CLASSES: readonly TokenClass[] = [
  { name: 'login', host: 'login.example.org', claims: good },
  { name: 'login, signed at keys', host: 'keys.example.org', claims: good },
  { name: 'login, signed at inner', host: 'inner.example.org', claims: good },
  { name: 'login, signed at plain', host: 'plain.example.org', claims: good },
  { name: 'login, for another API', host: 'login.example.org', claims: { ...good, aud: OTHER_AUDIENCE } },
  { name: 'login, without scope', host: 'login.example.org', claims: { iss: LOGIN, aud: AUDIENCE } },
  { name: 'partner', host: 'partner.example.org', claims: { ...good, iss: iss('partner.example.org') } },
  { name: 'mixed, signed at plain', host: 'plain.example.org', claims: { ...good, iss: iss('mixed.example.org') } },
  { name: 'opaque, known to login', host: 'login.example.org', opaque: true, claims: good },
  { name: 'opaque, known to keys', host: 'keys.example.org', opaque: true, claims: good },
  { name: 'opaque, known to inner', host: 'inner.example.org', opaque: true, claims: good },
];

/** What callers send with each request; gateways hand on some of it. */
export const CALLER_HEADERS: Readonly<Record<string, string>> = {
  'x-tenant': 'north',
  'x-request-id': 'r-1',
  'x-locale': 'en',
};

export function opaqueToken({ host }: TokenClass, person: string): string {
  return `opaque.${host}.${person}`.replaceAll('.', '~');
}

/** As the token's own claims or the answer of an introspection. Times are in seconds since 1970. */
export function claimsOf({ claims }: TokenClass, person: string): Readonly<Record<string, unknown>> {
  return { ...claims, sub: person, client_id: 'cli', iat: 1_700_000_000, exp: 4_900_000_000, ...PEOPLE[person] };
}
