/** The examples of codes with programs, tests, locks, other files or commands. Each runs exactly as its page shows it. */
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { findSpec } from '../../support/code-examples.ts';
import { runExample } from '../../support/run-example.ts';

const EXAMPLES = Object.entries(CODES).flatMap(([code, { bad, good }]) =>
  findSpec(bad) === undefined ? [{ code, bad, good }] : [],
);

test.concurrent.each(EXAMPLES)(
  'running the bad example of $code reports only this code, and running the good example reports neither it nor an error',
  async ({ code, bad, good }) => {
    const wrong = await runExample(bad);
    expect([...new Set(wrong.findings.map(found => found.split(' ')[1]))], wrong.output).toEqual([code]);
    const right = await runExample(good);
    expect(right, right.output).toMatchObject({ isGood: true });
    expect(
      right.findings.filter(found => found.startsWith('error ') || found.endsWith(code)),
      right.output,
    ).toEqual([]);
  },
);
