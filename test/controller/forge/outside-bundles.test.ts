/** Changes that no bundle contains: the comment on a pull request names them as `lintel diff` does. */
import { expect, test } from 'vitest';
import { createTreeCompiler } from '../../../controller/compile/compile-tree.ts';
import type { CompileOutcome } from '../../../controller/compile/index.ts';
import { createCommitReport } from '../../../controller/forge/create-commit-report.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { temporaryFolder } from '../../support/process.ts';
import { PROGRESSING, told } from './telling.ts';

const embedding = (image: string): string => `apiVersion: lintel.dev/v1beta1
kind: EmbeddingServer
metadata: { name: tei }
spec: { image: "${image}" }
`;

type Files = Readonly<Record<string, string>>;

async function compile(files: Files, clusterTexts: ReadonlyMap<string, string> = new Map()): Promise<CompileOutcome> {
  await using folder = await temporaryFolder({ 'eng.yaml': gatewayFile('eng'), ...files });
  const outcome = createTreeCompiler()({
    ...{ key: 'team/source', folder: folder.path, path: '.', defaultNamespace: 'team', withExposure: true },
    clusterTexts,
  });
  expect(outcome.isGood).toBe(true);
  return outcome;
}

const differenceOf = (applied: CompileOutcome, outcome: CompileOutcome) =>
  createCommitReport(told([PROGRESSING], { outcome, applied }))?.difference?.(60_000);

test('the comment on a pull request names a changed object that no bundle contains, and a change of denyPrivateBackends', async () => {
  const before = await compile({ 'tei.yaml': embedding('tei:1') });
  const after = await compile({ 'tei.yaml': embedding('tei:2'), 'lintel.yaml': 'denyPrivateBackends: true\n' });
  expect(after.digest, 'the bundles are the same').toBe(before.digest);
  const comment = differenceOf(before, after);
  expect(comment).toContain('EmbeddingServer team/tei differs, and is not compared: no bundle contains it');
  expect(comment).toContain('private addresses were allowed, and are refused now');
});

test('the comment on a pull request does not mention objects that stay the same, or that only the cluster has', async () => {
  const files = { 'tei.yaml': embedding('tei:1') };
  const before = await compile(files);
  const ofCluster = new Map([
    ['cluster:EmbeddingServer/team/other', embedding('tei:2').replace('name: tei', 'name: other')],
  ]);
  expect(differenceOf(before, await compile(files))).toBeUndefined();
  expect(differenceOf(before, await compile(files, ofCluster))).toBeUndefined();
});
