/** Tests the check of `diff-soundness.test.ts`: if `lintel diff` gave wrong answers, the check would report them. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CHANGES } from './changes.ts';
import { checkPairs } from './check-pairs.ts';
import type { Design } from './design.ts';
import { generatePair } from './generate.ts';
import { judge } from './judge.ts';
import { Oracle } from './oracle.ts';
import { createRandom } from './random.ts';
import { shrunk } from './shrink.ts';
import type { Say } from './verdict.ts';
import { AUDIENCE } from './world/callers.ts';

// Hundreds of compilations and comparisons, whose duration depends on the machine.
vi.setConfig({ testTimeout: 0, hookTimeout: 0 });

const always =
  (classification: ReturnType<Say>['classification']): Say =>
  () => ({ classification, changes: [] });

describe('generated pairs of gateways', () => {
  test('the same seed generates the same pair of gateways, and another seed another pair', () => {
    const designsOf = (seed: number) => ({ ...generatePair(seed), compiled: undefined });
    expect(designsOf(7)).toEqual(designsOf(7));
    expect(designsOf(8)).not.toEqual(designsOf(7));
  });

  test('generated pairs of gateways differ by one to three changes, each of a known kind', () => {
    const kinds = new Set(CHANGES.map(({ kind }) => kind));
    for (let seed = 0; seed < 20; seed++) {
      const pair = generatePair(seed);
      expect(pair.kinds.length).toBeGreaterThanOrEqual(1);
      expect(pair.kinds.length).toBeLessThanOrEqual(3);
      expect(pair.kinds.filter(kind => !kinds.has(kind))).toEqual([]);
      expect(pair.after).not.toEqual(pair.before);
    }
  });

  test('generated gateways have a full tool lock, a partial tool lock or no tool lock', () => {
    const locks = Array.from({ length: 60 }, (_, seed) => generatePair(seed).before).map(({ lock, backends }) => {
      const locked = Object.keys(lock).length;
      return locked === 0 ? 'none' : locked === Object.keys(backends).length ? 'full' : 'partial';
    });
    expect(new Set(locks)).toEqual(new Set(['none', 'partial', 'full']));
  });
});

test('a random number below 3 is 0, 1 or 2, and a random choice from an empty list throws', () => {
  const random = createRandom(1);
  const drawn = Array.from({ length: 1_000 }, () => random.below(3));
  expect(new Set(drawn)).toEqual(new Set([0, 1, 2]));
  expect(() => random.pick([])).toThrow('nothing to pick');
});

describe('the soundness test with an oracle', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await Oracle.start();
  });
  afterAll(() => oracle.close());

  test('the soundness test fails for a lintel diff that always says equivalent, and shows the seed and a small pair of gateways', async () => {
    const { failures } = await checkPairs({ oracle, say: always('equivalent') }, { seed: 1, count: 10, explained: 1 });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^seed \d+ \(.+\): lintel diff says equivalent, and the oracle /);
    expect(failures[0]).toContain('kind: VirtualMCPServer');
  });

  test('the soundness test fails for a lintel diff that always says narrower', async () => {
    const { failures } = await checkPairs({ oracle, say: always('narrower') }, { seed: 1, count: 10, explained: 1 });
    expect(failures).toHaveLength(1);
  });

  test.each(['mixed', 'unclassified'] as const)(
    'the soundness test accepts a lintel diff that always says %s, and counts these answers as vague',
    async classification => {
      const say = always(classification as ReturnType<Say>['classification']);
      const { failures, vague, pure } = await checkPairs({ oracle, say }, { seed: 1, count: 10 });
      expect(failures).toEqual([]);
      expect(vague).toBe(pure);
      expect(pure).toBeGreaterThan(0);
    },
  );

  test('the soundness test shrinks a failing pair to the change that causes the failure', async () => {
    const before: Design = {
      incoming: { type: 'oidc', issuer: 'https://login.example.org', audience: AUDIENCE, allowPrivate: true },
      authorization: {
        policies: [
          'permit(principal in Group::"admins", action, resource);',
          'forbid(principal == Client::"bot", action, resource);',
        ],
      },
      passthroughHeaders: ['X-Tenant'],
      aggregation: { tools: { alpha: { filter: ['read'] } } },
      backends: {
        alpha: { url: 'https://alpha.example.com/mcp', transport: 'sse', headers: { 'X-Role': 'reader' } },
        gamma: { url: 'https://gamma.example.com/mcp', transport: 'sse' },
      },
      lock: { gamma: 'current' },
    };
    const after = structuredClone(before);
    after.authorization?.policies.pop();
    (after.authorization as NonNullable<Design['authorization']>).roleClaim = 'teams';
    const say = always('equivalent');
    const small = await shrunk(
      { before, after },
      async pair => (await judge(pair.before, pair.after, { oracle, say }))?.truth.verdict === 'wider',
    );
    expect(small.after).toEqual({
      incoming: { type: 'oidc', issuer: 'https://login.example.org', audience: AUDIENCE },
      authorization: { policies: ['permit(principal in Group::"admins", action, resource);'], roleClaim: 'teams' },
      aggregation: {},
      backends: { gamma: { url: 'https://gamma.example.com/mcp', transport: 'sse' } },
      lock: {},
    });
  });
});
