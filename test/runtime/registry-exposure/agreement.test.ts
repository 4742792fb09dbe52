/** `lintel exposure` predicts what a registry server does, for every route and every class of callers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RegistryExposure } from '#compiler';
import type { RegistryBundle } from '#schemas';
import { computeRegistryExposure } from '../../../compiler/analysis/exposure/registry/exposure-of-registry.ts';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import {
  bearer,
  type ServedDoor,
  startDoor,
  startTrustedProvider,
  type TrustedProvider,
} from '../registry-door/served-door.ts';

type Caller = RegistryExposure['callers'][number];
type Claims = Readonly<Record<string, string | readonly string[]>>;

const VIEWS = `sources:
  - { name: own, file: { path: /srv/own.json }, claims: { org: example } }
  - { name: team, file: { path: /srv/team.json }, claims: { org: [example, partner], "odd claim": [b, a] } }
  - { name: bare, file: { path: /srv/bare.json } }
  - { name: other, file: { path: /srv/other.json } }
registries:
  - { name: staff, sources: [bare, own, team], claims: { org: example } }
  - { name: partners, sources: [team, other], claims: { org: [partner, example] } }
  - { name: unclaimed, sources: [own, other] }
  - { name: open, sources: [other, bare] }
`;

let one: TrustedProvider;
let two: TrustedProvider;
beforeAll(async () => {
  [one, two] = await Promise.all([startTrustedProvider('one'), startTrustedProvider('two')]);
});
afterAll(() => Promise.all([one.close(), two.close()]));

const oauth = (authz: string) => `${VIEWS}auth:
  oauth:
    resourceUrl: https://registry.example/tools
    publicPaths: [/registry/open]
    providers:
${one.yaml()}
${two.yaml()}
${authz}`;

const CONFIGS: readonly (readonly [title: string, config: () => string])[] = [
  ['claims', () => oauth('  authz: { roles: { superAdmin: [{ groups: admins, org: [x, y] }, { sub: root }] } }\n')],
  [
    'claims, and super admins whom a claim of a registry makes',
    () => oauth('  authz: { roles: { superAdmin: [{ org: example }] } }\n'),
  ],
  ['claims without super admins', () => oauth('  authz: {}\n')],
  ['authenticated', () => oauth('')],
  ['anonymous', () => `${VIEWS}auth: { mode: anonymous }\n`],
];

describe.each(CONFIGS)('%s', (_, config) => {
  test('the registry server shows each caller exactly the sources that `lintel exposure` lists for the caller', async () => {
    await expectAgreement(getBundle(compileConfig(config())));
  });
});

test('the registry server shows the sources that `lintel exposure` lists, also for public registries and sources with claims', async () => {
  const bundle = getBundle(compileConfig(oauth('  authz: { roles: { superAdmin: [{ sub: root }] } }\n')));
  const claims = { org: ['example'] };
  const withClaims = <T extends { readonly name: string }>(all: readonly T[], name: string) =>
    all.map(one => (one.name === name ? { ...one, claims } : one));
  await expectAgreement({ ...bundle, sources: withClaims(bundle.sources, 'bare') });
  await expectAgreement({ ...bundle, registries: withClaims(bundle.registries, 'open') });
});

async function expectAgreement(bundle: RegistryBundle): Promise<void> {
  const exposure = computeRegistryExposure(bundle);
  const door = await startDoor(bundle);
  expect(exposure.routes.map(({ path }) => path).toSorted()).toEqual(bundle.routes.map(({ path }) => path).toSorted());
  for (const caller of exposure.callers) {
    const tokens = await tokensOf(caller, bundle);
    for (const { path, answers } of exposure.routes) {
      const said = answers.find(answer => answer.caller === caller.name);
      expect(await inCommon(door, path, tokens), `${path} for ${caller.name}`).toEqual(said);
    }
  }
}

/** The result that all callers of a class have in common, in the terms of an exposure: each with a token, or none. */
async function inCommon(door: ServedDoor, path: string, tokens: readonly (Caller & { token?: string })[]) {
  const target = path.replace('{serverName}', 'com.example%2Fknown').replace('{version}', '1.0.0');
  const replies = [];
  for (const { token } of tokens) {
    const before = door.calls.length;
    const { status } = await door.send(target, token === undefined ? {} : bearer(token));
    replies.push({ status, sources: door.calls.at(before)?.sources });
  }
  const [first] = tokens;
  const worst = replies.find(({ status }) => status !== 200);
  if (worst !== undefined) return { caller: first?.name, answer: 'deny', status: worst.status };
  const [seen, ...others] = replies.map(({ sources }) => sources);
  if (seen === undefined) return { caller: first?.name, answer: 'allow' };
  const sources = seen.filter(source => others.every(other => other?.includes(source)));
  return { caller: first?.name, answer: 'allow', sources };
}

/** Every minimal way to belong to a class. */
async function tokensOf(caller: Caller, { authorization }: RegistryBundle): Promise<(Caller & { token?: string })[]> {
  const from = (provider: TrustedProvider, claims: Claims) => provider.token({ claims: { sub: 'alice', ...claims } });
  switch (caller.type) {
    case 'anyone':
    case 'noToken':
      return [caller];
    case 'token':
      return [{ ...caller, token: await from(caller.provider === 'one' ? one : two, { org: 'nobody' }) }];
    case 'claims': {
      const all = await Promise.all(choices(caller.allOf).map(claims => from(two, claims)));
      return all.map(token => ({ ...caller, token }));
    }
    case 'superAdmin': {
      const rules = authorization.type === 'claims' ? authorization.roles.superAdmin : [];
      const held = rules.map(rule => Object.entries(rule).map(([claim, anyOf]) => ({ claim, anyOf })));
      const all = await Promise.all(held.flatMap(choices).map(claims => from(one, claims)));
      return all.map(token => ({ ...caller, token }));
    }
  }
}

function choices(allOf: readonly { readonly claim: string; readonly anyOf: readonly string[] }[]): Claims[] {
  return allOf.reduce<Claims[]>(
    (made, { claim, anyOf }) =>
      made.flatMap(claims => anyOf.map(value => ({ ...claims, [claim]: withValue(claims[claim], value) }))),
    [{}],
  );
}

/** `sub` must be one string; other claims may be. */
function withValue(held: Claims[string] | undefined, value: string): Claims[string] {
  return held === undefined ? value : [held, value].flat();
}
