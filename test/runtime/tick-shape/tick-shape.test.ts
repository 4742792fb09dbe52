import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = resolve(import.meta.dirname, '../../../runtime/tuning/pin-tick-objects.ts');

/** Triggers a garbage collection while no tick is queued, and prints V8's hidden classes for ticks. */
function program(before: string): string {
  return `
    const ticks = count => new Promise(resolve => {
      const tick = left => left === 0 ? resolve() : process.nextTick(tick, left - 1);
      tick(count);
    });
    ${before}
    await ticks(1_000);
    await new Promise(resolve => setImmediate(resolve));
    gc({ type: 'major', flavor: 'last-resort' });
    await ticks(10);
    %DebugPrint(process.nextTick);`;
}

/** How V8 adds the members of a tick whose names are symbols. */
async function waysToMakeTicks(before: string): Promise<Set<string | undefined>> {
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program(before)]);
  return new Set([...stdout.matchAll(/DefineKeyedOwnPropertyInLiteral (\w+)/g)].map(([, way]) => way));
}

test('tick objects of Node keep their fast shape after a garbage collection that saves memory', async () => {
  const keep = `const { pinTickObjects } = await import(${JSON.stringify(MODULE)}); pinTickObjects();`;
  expect(await waysToMakeTicks(keep)).toEqual(new Set(['MONOMORPHIC']));
});

// On a busy machine a collection may run while a tick is alive.
test('tick objects of Node lose their fast shape without pinTickObjects, which is therefore still needed', {
  retry: 5,
}, async () => {
  expect(await waysToMakeTicks('')).toContain('MEGAMORPHIC');
});
