/** How `lintel diff` reports a change of the credential that a backend gets: each changed part, also at the top of the report. */
import { describe, expect, test } from 'vitest';
import { diffExposure, type Exposure, renderDifferenceMarkdown } from '#compiler';
import { exposures, OFFERS, SPECS } from '../exposure/sample.ts';

function exposure(text: string): Exposure {
  const [only] = exposures(text, OFFERS);
  if (only === undefined) throw new Error('the sample has errors');
  return only;
}

function changed(from: string, to: string, text = SPECS): string {
  if (!text.includes(from)) throw new Error(`not in the sample: ${from}`);
  return text.replace(from, to);
}

function compare(before: string, after: string) {
  const difference = diffExposure(exposure(before), exposure(after));
  const found = difference.changes.filter(({ type }) => type === 'backend');
  const markdown = renderDifferenceMarkdown([difference], { color: false });
  const looks = /#### Look at these first\n\n([\s\S]*?)\n\n/.exec(markdown)?.[1] ?? '';
  return { alarms: found.flatMap(({ alarms }) => alarms), looks, markdown };
}

const REF = '  externalAuthConfigRef: { name: github-exchange }';

const CASES: readonly (readonly [what: string, from: string, to: string, alarms: readonly string[], said: string])[] = [
  [
    'the token endpoint is on another host',
    'https://sts.example.com/token',
    'https://login.evil.example/token',
    ['otherEndpoint'],
    'endpoint: https&#58;//sts.example.com/token → https&#58;//login.evil.example/token',
  ],
  [
    'the token endpoint is at another path',
    'https://sts.example.com/token',
    'https://sts.example.com/other/token',
    ['otherEndpoint'],
    'endpoint: https&#58;//sts.example.com/token → https&#58;//sts.example.com/other/token',
  ],
  [
    'tokens have another audience',
    '    audience: https://github.example.com',
    '    audience: https://prod.example.com',
    ['otherRights'],
    'audience: https&#58;//github.example.com → https&#58;//prod.example.com',
  ],
  ['a scope is added', '[repo, read:org]', '[repo, read:org, deploy.admin]', ['otherRights'], 'scopes: + deploy.admin'],
  ['a scope is replaced', '[repo, read:org]', '[repo, admin]', ['otherRights'], 'scopes: + admin, - read:org'],
  ['all scopes are removed', '    scopes: [repo, read:org]\n', '', ['otherRights'], 'none are left'],
  ['the client has another id', 'clientId: gateway', 'clientId: admin', ['otherSecret'], 'client: gateway → admin'],
  [
    'the client secret is another key',
    'clientSecretRef: { name: oauth, key: github }',
    'clientSecretRef: { name: oauth, key: admin }',
    ['otherSecret'],
    'client secret: key github of Secret oauth → key admin of Secret oauth',
  ],
  [
    'a header comes from another key of a Secret',
    'valueSecretRef: { name: pg, key: key }',
    'valueSecretRef: { name: pg, key: admin }',
    ['otherSecret'],
    'header value: key key of Secret pg → key admin of Secret pg',
  ],
  [
    'a header next to the credential comes from another key',
    'valueSecretRef: { name: github, key: api-key }',
    'valueSecretRef: { name: github, key: admin }',
    ['otherSecret'],
    'key admin of Secret github',
  ],
  [
    'the exchanged token of the caller is no longer sent',
    `${REF}\n`,
    '',
    ['sharedIdentity'],
    'exchanged token as caller',
  ],
];

describe('a changed credential', () => {
  test.each(CASES)(
    'lintel diff lists a changed credential under "Look at these first": %s',
    (_, from, to, alarms, said) => {
      const found = compare(SPECS, changed(from, to));
      expect(found.alarms).toEqual(alarms);
      expect(found.looks).toContain(said);
    },
  );
});

test("lintel diff reports that a backend no longer gets the caller's identity if no credential replaces the caller's token", () => {
  const bare = SPECS.replace(/ {2}headerForward:[\s\S]*?(?=---)/, '');
  const found = compare(bare, changed(`${REF}\n`, '', bare));
  expect(found.alarms).toEqual(['callerLost']);
  expect(found.looks).toContain('does not get the identity of the person who calls any more');
});

test('lintel diff reports a scope that is removed from a credential, and raises no alarm', () => {
  const found = compare(SPECS, changed('[repo, read:org]', '[repo]'));
  expect(found.alarms).toEqual([]);
  expect(found.markdown).toContain('scopes: - read:org');
});

test('lintel diff raises the alarm otherEndpoint even if an older version wrote the exposure files, which then have no plan', () => {
  const [was, is] = [SPECS, changed('sts.example.com', 'login.evil.example')].map(text => {
    const { plan: _, ...older } = exposure(text);
    return older;
  });
  const found = diffExposure(was ?? null, is ?? null).changes.find(({ type }) => type === 'backend');
  expect(found?.alarms).toEqual(['otherEndpoint']);
});

describe('long values in a pull request comment', () => {
  const LONG = 'a'.repeat(900);

  test('a pull request comment of lintel diff keeps the changed end of a long URL', () => {
    const long = changed('https://sts.example.com/token', `https://sts.example.com/${LONG}/token`);
    const found = compare(long, changed(`${LONG}/token`, `${LONG}/evil`, long));
    expect(found.looks).toContain('/evil');
    expect(found.looks).toContain('/token');
    expect(found.looks).not.toContain(LONG);
  });

  test('a pull request comment of lintel diff keeps a changed endpoint next to a long audience', () => {
    const long = changed('    audience: https://github.example.com', `    audience: https://${LONG}.example.com`);
    const found = compare(long, changed('https://sts.example.com', 'https://login.evil.example', long));
    expect(found.looks).toContain('login.evil.example');
    expect(found.looks).toContain('sts.example.com');
  });

  test('a pull request comment of lintel diff keeps the host in the middle of a long new URL', () => {
    const after = changed('https://sts.example.com/token', `https://${'b.'.repeat(400)}evil.example/${LONG}`);
    expect(compare(SPECS, after).looks).toContain('evil.example');
  });

  test('a pull request comment of lintel diff says that one of the rows left out for lack of space is to be looked at first', () => {
    const after = changed('https://sts.example.com/token', `https://evil.example/${'b'.repeat(70_000)}`);
    expect(compare(SPECS, after).markdown).toMatch(
      /more rows? that did not fit here, \*\*1 of them to look at first\*\*/,
    );
  });
});
