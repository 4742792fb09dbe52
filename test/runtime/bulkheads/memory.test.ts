/** How much memory a hanging backend costs a gateway, in a separate process so that nothing else is measured. */
import { expect, onTestFinished, test } from 'vitest';
import type { StatusPage } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import { MAX_OPEN_CALLS } from '../../../runtime/gateway/backends/health/bulkhead.ts';
import { type Announcement, FREE_PORTS, ready } from '../../e2e/served.ts';
import { backendPlan, eventually, gatewayBundle } from '../../support/gateway.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { startBreakingBackend } from '../circuit-breaker/breaking-backend.ts';
import { ask } from '../stateless-edge/requests.ts';

const MB = 1024 * 1024;

/** Characters of a call's arguments: 4,000 calls are 240 MB. */
const ARGUMENT_LENGTH = 60_000;
const REFUSED = 4_000;
const AT_ONCE = 40;

test('calls that the gateway refuses beyond the limit of a hanging backend take no memory afterwards, and other backends answer', async () => {
  const [hung, well] = [await startBreakingBackend(), await startBreakingBackend()];
  onTestFinished(async () => {
    await hung.close();
    await well.close();
  });
  const backends = [backendPlan('hung', hung.url, { timeoutMs: 600_000 }), backendPlan('well', well.url)];
  await using folder = await temporaryFolder({ 'bundle.json': formatCanonicalJson(gatewayBundle({ backends })) });
  await using runtime = start(PROGRAM.runtime, ['--bundle', folder.file('bundle.json'), ...FREE_PORTS]);
  const announced = await runtime.announcement<Announcement>();
  await ready(announced);
  const call = (name: string, text: string) =>
    ask(announced.url, { method: 'tools/call', params: { name, arguments: { text } } });
  const status = async () =>
    ((await (await fetch(`${announced.internal}/status`)).json()) as StatusPage).backends[0]?.calls;
  const residentMb = async () => {
    const page = await (await fetch(`${announced.internal}/metrics`)).text();
    return Number(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(page)?.[1]) / MB;
  };

  hung.calls = 'hang';
  for (let open = 0; open < MAX_OPEN_CALLS; open++) call('hung_x', 'short').catch(() => {});
  await eventually(async () => (await status())?.open === MAX_OPEN_CALLS);
  const text = 'x'.repeat(ARGUMENT_LENGTH);
  const beyond = async (count: number) => {
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => call('hung_x', text)));
      for (const answer of answers)
        expect(JSON.parse(answer.text).error.data).toEqual({ backend: 'hung', reason: 'busy' });
      expect(JSON.parse((await call('well_x', text)).text)).toHaveProperty('result');
    }
  };
  // Memory that the process needs for its first work is not counted.
  await beyond(REFUSED / 4);
  const before = await residentMb();
  await beyond(REFUSED);
  expect((await residentMb()) - before).toBeLessThan(160);
  expect(await status()).toMatchObject({ open: MAX_OPEN_CALLS, largeTexts: 0, refused: (REFUSED * 5) / 4 });
});
