/** The example with three replicas works as its README shows: one is killed, and the client continues its session. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { ROOT, start } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples/scale-out');

test('the specs of the scale-out example have no warning', async () => {
  const checked = await runLintel(['check', 'examples/scale-out/specs', '--fail-on', 'warning']);
  expect(checked, checked.stdout).toMatchObject({ code: 0 });
});

withPeers('redis-server').test(
  'calls of the scale-out example reach all replicas, and the remaining replicas after one was killed',
  async () => {
    await using story = start(join(EXAMPLE, 'scale-out.mjs'), ['--once']);
    expect(await story.exitCode(), story.stderr.text).toBe(0);
    const [before = '', after = ''] = story.stdout.text.split('was killed');
    const answering = (text: string) => [...text.matchAll(/answered by replica (\w)/g)].map(([, name]) => name);
    expect(answering(before)).toHaveLength(6);
    expect(new Set(answering(before))).toEqual(new Set(['a', 'b', 'c']));
    expect(answering(after)).toHaveLength(6);
    expect(new Set(answering(after))).toEqual(new Set(['b', 'c']));
    expect(story.stdout.text).toContain('12 calls, none lost, in one session.');
  },
);
