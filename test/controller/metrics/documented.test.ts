/** Compares the documentation of the metrics with the metrics page. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ControllerMetrics } from '../../../controller/observe/index.ts';

const README = join(import.meta.dirname, '../../../controller/observe/README.md');

test('the README of the controller names each metric with its type, and no other metric', async () => {
  const { text } = await new ControllerMetrics().page();
  const told = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    .map(([, name, type]) => `${name} ${type}`)
    // Metrics of every Node program, not of this one.
    .filter(line => !/^(process_|nodejs_)/.test(line));
  const written = [...(await readFile(README, 'utf8')).matchAll(/^\| `(\w+)` \| (\w+) \|/gm)];
  expect(written.map(([, name, type]) => `${name} ${type}`).toSorted()).toEqual(told.toSorted());
});

test('the README of the controller names the labels of each lintel_ metric', async () => {
  const rows = (await readFile(README, 'utf8')).matchAll(/^\| `(lintel_\w+)` \| \w+ \| ([^|]*) \|/gm);
  const written = new Map([...rows].map(([, name = '', labels = '']) => [name, labels.match(/\w+/g) ?? []]));
  const metrics = new ControllerMetrics();
  const source = { namespace: 'team', name: 'gateways' };
  const unit = { namespace: 'team', name: 'g' };
  metrics.stage('compile', 1);
  metrics.refused(source);
  metrics.drift(source, 'corrected', 1);
  metrics.lag(source, 1);
  metrics.unverified(source, false);
  metrics.suspended(source, false);
  metrics.forgeReport('github', 'ok');
  metrics.delivery('accepted');
  metrics.gitFailure('silent');
  metrics.bundles(source, [{ ...unit, kind: 'gateway', digest: 'sha256:1', revision: 'main@sha1:a' }]);
  metrics.exposedTools(source, [{ ...unit, callers: 'granted', effect: 'none', tools: 1 }]);
  const { text } = await metrics.page();
  const found = new Map(
    [...text.matchAll(/^(lintel_\w+?)(?:_count)?\{([^}]*)\} /gm)]
      .filter(([, name = '']) => !/_(bucket|sum)$/.test(name))
      .map(([, name = '', labels = '']) => [name, [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label)]),
  );
  const sorted = (all: ReadonlyMap<string, readonly (string | undefined)[]>) =>
    Object.fromEntries([...all].map(([name, labels]) => [name, labels.toSorted()]));
  expect(sorted(written)).toEqual(sorted(found));
});
