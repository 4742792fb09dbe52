/** The controller's system clock jumps while it waits for pods: the health timeout neither fires early nor is lost. */
import { expect, test } from 'vitest';
import { ControllerWorld } from '../../support/controller-world.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 300_000;

/** Starts a rollout that waits for its pods, and returns the name of the previous bundle. */
async function waiting(world: ControllerWorld): Promise<string> {
  world.commit({ 'a.yaml': gatewayFile('a') });
  world.follow({ healthTimeout: '5m' });
  await world.settle();
  const before = world.status.gateways?.[0]?.activeDigest ?? '';
  world.pods.hangs = digest => digest !== before;
  world.commit({ 'a.yaml': gatewayFile('a', { url: 'https://slow.example.com' }) });
  await world.settle();
  expect(world.condition('Healthy')).toBe('Unknown Progressing');
  return before;
}

test.each([
  ['forwards', HOUR_MS],
  ['backwards', -HOUR_MS],
])('the controller still waits for a rollout when the clock jumps an hour %s', async (_, jumpMs) => {
  await using world = await ControllerWorld.start();
  const before = await waiting(world);
  world.nowMs += jumpMs;
  await world.settle();
  expect(world.condition('Healthy')).toBe('Unknown Progressing');
  expect(world.status.gateways?.[0]?.heldDigest).toBeUndefined();

  world.pass(TIMEOUT_MS);
  world.invariants.inputChanged();
  await world.settle();
  expect(world.condition('Ready')).toBe('False HealthCheckFailed');
  const [gateway] = world.status.gateways ?? [];
  expect(gateway).toMatchObject({ activeDigest: before, heldDigest: expect.stringMatching(/^sha256:/) });
  expect(world.invariants.violations).toEqual([]);
});

test('a controller that restarts after the clock jumped back waits for a rollout for the whole timeout again, and then gives up', async () => {
  await using world = await ControllerWorld.start();
  await waiting(world);
  world.nowMs -= HOUR_MS;
  await world.restart();
  await world.settle();
  expect(world.condition('Healthy')).toBe('Unknown Progressing');
  world.pass(TIMEOUT_MS);
  world.invariants.inputChanged();
  await world.settle();
  expect(world.condition('Ready')).toBe('False HealthCheckFailed');
  expect(world.invariants.violations).toEqual([]);
});

test('the times of conditions never go back, even if the clock does', async () => {
  await using world = await ControllerWorld.start();
  world.follow();
  for (let version = 1; version < 6; version++) {
    world.commit({ 'a.yaml': gatewayFile('a', { url: `https://v${version}.example.com` }) });
    await world.settle();
    world.commit({ 'a.yaml': 'kind: [' });
    await world.settle();
    world.nowMs -= HOUR_MS;
  }
  expect(world.condition('Stalled')).toBe('True CompilationFailed');
  expect(world.invariants.violations).toEqual([]);
});
