/** When a scenario counts as worse through the gateway, by the suite's reports with and without it. */
import { expect, test } from 'vitest';
import { ONLY_INFORMATION, type Report } from '../suite.ts';
import { compare, confirm } from './compare.ts';

interface Found {
  readonly complaints?: readonly string[];
  readonly successes?: readonly string[];
}

const PASSED: Found = { successes: ['a', 'b'] };

const CASES: readonly { title: string; direct: Found; gateway: Found; worse: string[] }[] = [
  { title: 'passes with and without the gateway', direct: PASSED, gateway: PASSED, worse: [] },
  {
    title: 'passes only without the gateway',
    direct: PASSED,
    gateway: { complaints: ['FAILURE a: lost'], successes: ['b'] },
    worse: ['FAILURE a: lost'],
  },
  {
    title: 'passes without the gateway, and has no verdict with the gateway',
    direct: PASSED,
    gateway: { complaints: ['no verdict: timeout'] },
    worse: ['no verdict: timeout'],
  },
  {
    title: 'passes without the gateway, and has a skipped check with the gateway',
    direct: PASSED,
    gateway: { complaints: ['SKIPPED b: not seen'], successes: ['a'] },
    worse: ['SKIPPED b: not seen'],
  },
  {
    title: 'passes only with the gateway',
    direct: { complaints: ['FAILURE a: absent'], successes: ['b'] },
    gateway: PASSED,
    worse: [],
  },
  {
    title: 'fails in the same check with and without the gateway',
    direct: { complaints: ['FAILURE a: absent'], successes: ['b'] },
    gateway: { complaints: ['FAILURE a: other words'], successes: ['b'] },
    worse: [],
  },
  {
    title: 'fails with and without the gateway, and one check fails only with the gateway',
    direct: { complaints: ['FAILURE a: absent'], successes: ['b'] },
    gateway: { complaints: ['FAILURE a: absent', 'FAILURE b: lost: with a colon'] },
    worse: ['FAILURE b: lost: with a colon'],
  },
  {
    title: 'fails with and without the gateway, and without the gateway before the check that fails with the gateway',
    direct: { complaints: ['FAILURE a: absent'] },
    gateway: { complaints: ['FAILURE b: further on'], successes: ['a'] },
    worse: [],
  },
];

// `$title` would put quotation marks around the title.
test.each(CASES.map(row => [row.title, row] as const))(
  'the comparison of conformance runs lists the checks that fail because of the gateway: a scenario that %s',
  (_, { direct, gateway, worse }) => {
    const found = compare(['scenario'], reportOf(direct), reportOf(gateway));
    expect([...found.worse]).toEqual(worse.length > 0 ? [['scenario', worse]] : []);
  },
);

test('the comparison of conformance runs counts the scenarios that pass without the gateway and those that pass through it', () => {
  const failing = { complaints: ['FAILURE a: absent'] };
  const direct = reports({ one: PASSED, other: PASSED, third: failing });
  const gateway = reports({ one: PASSED, other: failing, third: failing });
  expect(compare(['one', 'other', 'third'], direct, gateway)).toMatchObject({ scenarios: 3, direct: 2, gateway: 1 });
});

test.each<[string, Found, number]>([
  ['passes', PASSED, 1],
  ['fails', { complaints: ['FAILURE a: absent'] }, 1],
  ['comes to no verdict', { complaints: ['no verdict: timeout'] }, 1],
  ['makes no check at all', { complaints: ['no check succeeded'] }, 1],
  ['gives information alone', { complaints: [ONLY_INFORMATION] }, 0],
])(
  'the comparison of conformance runs counts a scenario only if it tests the server: a scenario that %s without the gateway',
  (_, direct, applicable) => {
    expect(compare(['scenario'], reportOf(direct), reportOf(PASSED)).applicable).toBe(applicable);
  },
);

test('a second conformance run confirms only the scenarios that got worse through the gateway in both runs', () => {
  const scenarios = ['lost', 'unsteady'];
  const direct = reports({ lost: PASSED, unsteady: PASSED });
  const first = reports({ lost: { complaints: ['FAILURE a: got 2'] }, unsteady: { complaints: ['FAILURE a: got 2'] } });
  const another = reports({ lost: { complaints: ['FAILURE a: got 1'] }, unsteady: PASSED });
  const found = confirm(compare(scenarios, direct, first), compare(scenarios, direct, another));
  expect([...found.worse]).toEqual([['lost', ['FAILURE a: got 2']]]);
});

function reportOf(found: Found): Report {
  return reports({ scenario: found });
}

function reports(found: { readonly [scenario: string]: Found }): Report {
  return {
    complaints: scenario => [...(found[scenario]?.complaints ?? [])],
    successes: scenario => new Set(found[scenario]?.successes),
  };
}
