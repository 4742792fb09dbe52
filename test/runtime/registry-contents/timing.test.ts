/** When a registry server reads its sources. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { computeWaitMs } from '../../../runtime/registry/sources/poll-interval.ts';
import { sendJson } from '../../support/raw-server.ts';
import {
  createSources,
  findSourceStatus,
  listed,
  server,
  source,
  sourceFile,
  upstream,
  writeFolder,
} from './harness.ts';

describe('the wait between readings', () => {
  const HOUR = 3_600_000;
  test.each([
    ['the interval', HOUR, 0, HOUR],
    ['an interval of a second', 1_000, 0, 1_000],
    ['never less than a second', 1, 0, 1_000],
    ['a second with an interval of zero', 0, 0, 1_000],
    ['after a failure', HOUR, 1, 5_000],
    ['after two failures', HOUR, 2, 10_000],
    ['after ten failures', HOUR, 10, 2_560_000],
    ['at most the interval', HOUR, 11, HOUR],
    ['after very many failures', HOUR, 5_000, HOUR],
    ['with an interval shorter than the first wait', 2_000, 1, 2_000],
    ['after ten failures, with an interval shorter than the first wait', 2_000, 10, 2_000],
    ['after three failures, with an interval of seven seconds', 7_000, 3, 7_000],
  ])('the registry server waits between two readings of a source: %s', (_name, intervalMs, failures, expected) => {
    expect(computeWaitMs(intervalMs, failures, 0)).toBe(expected);
    expect(computeWaitMs(intervalMs, failures, 1)).toBe(Math.round(expected * 1.1));
  });

  test('the wait between two readings is at least a second and short enough for a timer, for any interval in the plan', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, noNaN: true }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (ms, failures, random) => {
          const wait = computeWaitMs(ms, failures, random);
          expect(wait).toBeGreaterThanOrEqual(1_000);
          expect(wait).toBeLessThan(2 ** 31);
        },
      ),
    );
  });
});

describe('timers', () => {
  afterEach(() => void vi.useRealTimers());

  test('the registry server reads a file source at once, again after its interval, sooner after a failure, and not after the source is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const path = join(await writeFolder(), 'servers.json');
    const { contents } = createSources([source({ type: 'file', path }, { intervalMs: 60_000 })]);
    const attempts = () => findSourceStatus(contents).attempts;
    await contents.start();
    await contents.tried();
    expect(attempts()).toBe(1);
    vi.advanceTimersByTime(4_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    await contents.refresh();
    expect(attempts()).toBe(2);
    await writeFile(path, sourceFile(server('io.example/a')));
    vi.advanceTimersByTime(10_000);
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
    await writeFile(path, sourceFile(server('io.example/b')));
    vi.advanceTimersByTime(59_999);
    expect(findSourceStatus(contents).phase).toBe('complete');
    vi.advanceTimersByTime(1);
    expect(findSourceStatus(contents).phase).toBe('syncing');
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/b@1.0.0']);
    await contents.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.restoreAllMocks();
  });

  test('all requests to read a source share one reading at a time', async () => {
    let running = 0;
    let most = 0;
    const peer = await upstream(async (_, response) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      sendJson(response, sourceFile(server('io.example/a')));
    });
    const { contents } = createSources([source({ type: 'url', url: peer.origin, timeoutMs: 10_000 })]);
    await contents.start();
    await Promise.all([contents.refresh(), contents.refresh(), contents.tried()]);
    expect({ most, requests: peer.requests.length }).toEqual({ most: 1, requests: 1 });
  });
});
