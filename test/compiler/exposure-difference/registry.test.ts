import { describe, expect, test } from 'vitest';
import { differenceOf, type ExposureDifference } from '#compiler';
import { ANONYMOUS, AUTHENTICATED, EVERYTHING, exposureOf } from '../exposure/registry/sample.ts';

function lines({ changes }: ExposureDifference): readonly string[] {
  return changes.map(({ type, name, change, effect, alarms }) =>
    [`${type} ${name}: ${change}`, effect, ...alarms].join(', '),
  );
}

function changed(from: string, to: string, text = EVERYTHING): string {
  if (!text.includes(from)) throw new Error(`not in the sample: ${from}`);
  return text.replace(from, to);
}

describe('what a change of a registry server does', () => {
  test.each([
    ['nothing', EVERYTHING, EVERYTHING, 'equivalent', []],
    [
      'a registry that others may see too',
      EVERYTHING,
      changed('[git, own, team], claims: { org: example }', '[git, own, team], claims: { org: [example, partner] }'),
      'wider',
      undefined,
    ],
    ['tokens of no use any more', AUTHENTICATED, ANONYMOUS, 'wider', undefined],
  ] as const)('%s', (_, before, after, classification, expected) => {
    const found = differenceOf(exposureOf(before), exposureOf(after));
    expect([found.classification, lines(found)]).toEqual([classification, expected ?? lines(found)]);
  });

  test('a server that asks nobody any more: the routes that are open now are told of', () => {
    const opened = differenceOf(exposureOf(AUTHENTICATED), exposureOf(ANONYMOUS));
    expect(lines(opened)).toContain('registry server company: changed, wider, anonymous');
    expect(lines(opened).some(line => /^route .*wider, anonymous$/.test(line))).toBe(true);
    const closed = differenceOf(exposureOf(ANONYMOUS), exposureOf(AUTHENTICATED));
    expect(closed.classification).toBe('narrower');
    expect(closed.changes.flatMap(({ alarms }) => alarms)).toEqual([]);
  });
});
