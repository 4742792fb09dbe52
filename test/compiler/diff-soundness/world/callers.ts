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
  /** Who brings such tokens; default: a few. */
  readonly people?: readonly string[];
}

export const AUDIENCE = 'https://mcp.example.org';
export const OTHER_AUDIENCE = 'https://api.example.org';

const issuerOf = (host: ProviderHost) => `https://${host}`;
const SCOPE = 'mcp';
const EVERYBODY = Object.keys(PEOPLE);
const A_FEW = ['ada', 'dan'];

/** Where the keys of an issuer are unless a gateway knows better. */
const OWN_KEYS = {
  'login.example.org': 'login.example.org',
  'partner.example.org': 'partner.example.org',
  'mixed.example.org': 'plain.example.org',
} as const satisfies Partial<Record<ProviderHost, ProviderHost>>;

const SIGNERS = [
  'login.example.org',
  'partner.example.org',
  'keys.example.org',
  'plain.example.org',
  'inner.example.org',
] as const;

/** Every token is one of these, for each of its people: whoever has the keys of a host may have signed in anybody's name. */
export const TOKEN_CLASSES: readonly TokenClass[] = [
  ...(Object.keys(OWN_KEYS) as (keyof typeof OWN_KEYS)[]).flatMap(issuer => {
    const iss = issuerOf(issuer);
    const own = OWN_KEYS[issuer];
    return [
      ...SIGNERS.map(host => ({
        name: `${issuer}, signed at ${host}`,
        host,
        claims: { iss, aud: AUDIENCE, scope: SCOPE },
        ...(host === own ? { people: EVERYBODY } : {}),
      })),
      { name: `${issuer}, for another API`, host: own, claims: { iss, aud: OTHER_AUDIENCE, scope: SCOPE } },
      { name: `${issuer}, without scope`, host: own, claims: { iss, aud: AUDIENCE } },
    ];
  }),
  ...(['login.example.org', 'keys.example.org', 'inner.example.org'] as const).map(host => ({
    name: `opaque, known to ${host}`,
    host,
    opaque: true as const,
    claims: { aud: AUDIENCE, scope: SCOPE },
  })),
];

/** What callers send with each request; gateways hand on some of it. */
export const CALLER_HEADERS: Readonly<Record<string, string>> = {
  'x-tenant': 'north',
  'x-request-id': 'r-1',
  'x-locale': 'en',
};

/** Who brings tokens of a class. */
export function peopleOf({ people = A_FEW }: TokenClass): readonly string[] {
  return people;
}

export function opaqueToken({ host }: TokenClass, person: string): string {
  return `opaque.${host}.${person}`.replaceAll('.', '~');
}

/** As the token's own claims or the answer of an introspection. Times are in seconds since 1970. */
export function claimsOf({ claims }: TokenClass, person: string): Readonly<Record<string, unknown>> {
  return { ...claims, sub: person, client_id: 'cli', iat: 1_700_000_000, exp: 4_900_000_000, ...PEOPLE[person] };
}
