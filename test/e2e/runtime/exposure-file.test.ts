import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { BundleIndex } from '#schemas';
import { PROGRAM, start } from '../../support/process.ts';
import { type Announcement, buildInto, FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

test('the runtime does not read the exposure file next to a bundle', async () => {
  await using folder = await buildInto(CLEAN);
  const { bundles } = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as BundleIndex;
  const [eng] = bundles;
  await writeFile(folder.file(`out/${eng?.path}/exposure.json`), 'no JSON at all');
  for (const path of ['out', `out/${eng?.path}`]) {
    await using runtime = start(PROGRAM.runtime, ['--bundle', path, '--watch', ...FREE_PORTS], { cwd: folder.path });
    const { event, digest } = await runtime.announcement<Announcement>();
    expect([event, digest]).toEqual(['listening', eng?.digest]);
  }
});
