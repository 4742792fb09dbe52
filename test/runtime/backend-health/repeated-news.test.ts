/** A backend that reports changed lists without a change: which clients are notified, and how often. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NotificationBackoff } from '../../../runtime/gateway/backends/health/notification-backoff.ts';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';

describe('notifications of stateless clients', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Reports ten times a second; returns the notifications. */
  function toldIn(seconds: number, news: NotificationBackoff, method = 'tools'): number {
    let told = 0;
    for (let n = 0; n < seconds * 10; n++) {
      if (news.mayNotify(method)) told++;
      vi.advanceTimersByTime(100);
    }
    return told;
  }

  test.each([
    [1, 3, 4],
    [60, 8, 12],
    [600, 20, 32],
  ])(
    'when lists change constantly for %i seconds, a stateless client gets at least %i and at most %i list_changed notifications',
    (seconds, least, most) => {
      const told = toldIn(seconds, new NotificationBackoff());
      expect(told).toBeGreaterThanOrEqual(least);
      expect(told).toBeLessThanOrEqual(most);
    },
  );

  test('a stateless client gets notifications for each kind of list separately', () => {
    const news = new NotificationBackoff();
    toldIn(60, news);
    expect([news.mayNotify('prompts'), news.mayNotify('prompts')]).toEqual([true, false]);
  });

  test('after a minute without list changes, a stateless client gets notifications again as often as at first', () => {
    const news = new NotificationBackoff();
    toldIn(60, news);
    vi.advanceTimersByTime(60_000);
    expect(toldIn(1, news)).toBe(toldIn(1, new NotificationBackoff()));
  });
});

async function listening(url: string, version: 'auto' | 'session') {
  const mode = version === 'auto' ? { versionNegotiation: { mode: 'auto' as const } } : {};
  const client = new Client({ name: 'test', version: '1' }, mode);
  const heard: string[] = [];
  for (const kind of ['tools', 'prompts'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void heard.push(kind));
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  if (version === 'auto') await client.listen({ toolsListChanged: true, promptsListChanged: true });
  return heard;
}

async function serve(tools: Partial<ReturnType<typeof backendPlan>['tools']> = {}) {
  const backend = await startStatelessServer();
  onTestFinished(() => backend.close());
  const plain = backendPlan('a', backend.url);
  const gateway = await startGateway({ backends: [{ ...plain, tools: { ...plain.tools, ...tools } }] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  const readings = () => backend.requests.filter(({ method }) => method === 'tools/list').length;
  return { backend, gateway, readings };
}

test('when a list changes, the gateway notifies a stateless client that listens, and not a client in a session', async () => {
  const { backend, gateway } = await serve();
  const [stateless, inSession] = await Promise.all([listening(gateway.url, 'auto'), listening(gateway.url, 'session')]);
  await backend.setTools([]);
  await eventually(() => stateless.length > 0);
  expect([stateless, inSession]).toEqual([['tools'], []]);
});

test('a stateless client gets one notification for each real change of a list, and none when a read of the backend finds equal lists', async () => {
  const { backend, gateway, readings } = await serve();
  const heard = await listening(gateway.url, 'auto');
  await backend.setTools([{ name: 'more' }]);
  await eventually(() => heard.length > 0);
  const before = readings();
  await backend.setTools([{ name: 'more' }]);
  await eventually(() => heard.length > 1);
  expect(readings()).toBeGreaterThan(before);
  expect(heard).toEqual(['tools', 'tools']);
});

test('the gateway notifies no client of changes to a list whose items it does not advertise', async () => {
  const { backend, gateway, readings } = await serve({ advertise: { type: 'only', names: [] } });
  const heard = await listening(gateway.url, 'auto');
  // When the second reading starts, the result of the first has been announced.
  for (let n = 0; n < 2; n++) {
    const before = readings();
    await backend.setTools([]);
    await eventually(() => readings() > before);
  }
  expect(heard).toEqual([]);
});
