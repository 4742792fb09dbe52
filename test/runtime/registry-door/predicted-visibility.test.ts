/** `lintel matrix` predicts what a registry server shows to each caller, with real tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRegistryMatrix, type Persona } from '../../../compiler/analysis/access/index.ts';
import { AUDIENCE, bearer, startDoor, startTrustedProvider, type TrustedProvider } from './served-door.ts';

const SOURCES = `sources:
  - { name: platform, file: { path: /srv/a.json }, claims: { org: x, team: [platform, backend] } }
  - { name: common, file: { path: /srv/b.json }, claims: { org: x } }
  - { name: bare, file: { path: /srv/c.json } }
registries:
  - { name: main, sources: [bare, common, platform], claims: { org: [x, y] } }
  - { name: bare, sources: [bare] }
  - { name: mixed, sources: [common, bare] }
`;

const ROLES = '  authz: { roles: { superAdmin: [{ groups: admins, org: x }, { sub: root }] } }\n';

const oauth = (provider: string, fields = '') =>
  `auth:\n  oauth:\n    resourceUrl: https://registry.example\n${fields}    providers:\n${provider}\n`;

type Claims = Readonly<Record<string, unknown>>;

/** The callers, each with the claims of its token; undefined without a token. */
const CALLERS: { readonly [name: string]: Claims | undefined } = {
  guest: undefined,
  nothing: {},
  organization: { org: 'x' },
  neighbour: { org: 'y' },
  team: { org: ['x'], team: ['other', 'backend'] },
  stranger: { team: 'backend' },
  malformed: { org: ['x', 1] },
  half: { groups: 'admins' },
  admin: { org: 'x', groups: ['admins'] },
  root: { sub: 'root' },
  elsewhere: { org: 'x', aud: 'https://other.example' },
};

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

test.each<[name: string, config: (provider: string) => string]>([
  ['callers are authorized by claims', provider => `${SOURCES}${oauth(provider)}${ROLES}`],
  ['every caller with a token sees all entries', provider => `${SOURCES}${oauth(provider)}`],
  [
    'one registry needs no token',
    provider => `${SOURCES}${oauth(provider, '    publicPaths: [/registry/bare]\n')}${ROLES}`,
  ],
  [
    'one route of a registry needs no token',
    provider => `${SOURCES}${oauth(provider, '    publicPaths: [/registry/bare/v0.1/servers]\n')}${ROLES}`,
  ],
  ['no caller needs a token', () => `${SOURCES.replaceAll(/, claims: \{.*?\]? \}/g, '')}auth: { mode: anonymous }\n`],
])('lintel predicts what each caller of the registry server sees when %s', async (_name, config) => {
  const { send, calls, bundle } = await startDoor(config(corp.yaml()));
  const personas = Object.entries(CALLERS).map(
    ([name, claims]): Persona => ({ name, claims: claims && { sub: 'alice', ...claims } }),
  );
  const { items } = buildRegistryMatrix(bundle, personas, { now: Date.now(), user: 'joe' }).matrix;
  const predicted = new Map(items.map(({ type, name, access }) => [`${type} ${name}`, access]));
  const seen = new Map<string, Record<string, string>>();
  for (const { name, claims } of personas) {
    const { aud = AUDIENCE, ...rest } = claims ?? {};
    const headers = claims === undefined ? {} : bearer(await corp.token({ audience: String(aud), claims: rest }));
    for (const { name: registry, sources } of bundle.registries) {
      calls.length = 0;
      for (const path of ['v0.1/servers', 'v0.1/servers/a%2Fb/versions', 'v0/servers']) {
        await send(`/registry/${registry}/${path}`, headers);
      }
      const note = (item: string, isSeen: boolean) =>
        seen.set(item, { ...seen.get(item), [name]: isSeen ? 'yes' : 'no' });
      note(`registry ${registry}`, calls.length > 0);
      for (const source of sources)
        note(
          `source ${registry}/${source}`,
          calls.some(call => call.sources.includes(source)),
        );
    }
  }
  expect(Object.fromEntries([...predicted].sort())).toEqual(Object.fromEntries([...seen].sort()));
});
