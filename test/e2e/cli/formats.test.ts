import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Outcome, PROGRAM, run, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, FOREIGN, WITH_ERROR, WITH_UNSUPPORTED, WITH_WARNING } from '../specs.ts';

interface Document {
  readonly complete: boolean;
  readonly valid: boolean;
  readonly summary: { readonly error: number; readonly warning: number; readonly hint: number };
  readonly diagnostics: readonly { readonly code: string; readonly range: { readonly file: string } }[];
  readonly bundles?: readonly { readonly name: string; readonly digest: string }[];
}

const UNREADABLE = async (folder: TemporaryFolder) => symlink('nothing', folder.file('broken.yaml'));

/** Rows of: input, arguments, exit code, codes found. */
test.each([
  ['clean specs', CLEAN, ['check', '.'], 0, []],
  ['an error', WITH_ERROR, ['check', '.'], 1, ['LNT1011']],
  ['a warning', WITH_WARNING, ['check', '.'], 0, ['LNT1008']],
  ['a warning that fails', WITH_WARNING, ['check', '.', '--fail-on', 'warning'], 1, ['LNT1008']],
  ['a hint that fails', WITH_UNSUPPORTED, ['check', '.', '--fail-on', 'hint'], 1, ['LNT1009']],
  ['no YAML', { 'a.yaml': 'a: [' }, ['check', '.'], 1, ['LNT1001']],
  ['a build', CLEAN, ['build', '.', '--out', 'out'], 0, []],
  ['a build with an error', WITH_ERROR, ['build', '.', '--out', 'out'], 1, ['LNT1011']],
  ['a build of what is not supported', WITH_UNSUPPORTED, ['build', '.', '--out', 'out'], 1, ['LNT1009']],
])('%s: one JSON document, and the exit code of the other format', async (_, files, args, code, codes) => {
  const { pretty, json } = await inBothFormats(files, args);
  expect([pretty.code, json.code, json.stderr]).toEqual([code, code, '']);
  const document = JSON.parse(json.stdout) as Document;
  expect(document.diagnostics.map(finding => finding.code)).toEqual(codes);
  expect(document.complete).toBe(true);
  expect(document.valid).toBe(document.summary.error === 0);
});

test.each([
  ['check', ['check', '.']],
  ['build', ['build', '.', '--out', 'out']],
])('%s of something unreadable: not complete, not valid, exit code 3', async (_, args) => {
  const { pretty, json } = await inBothFormats(CLEAN, args, UNREADABLE);
  expect([pretty.code, json.code]).toEqual([3, 3]);
  const document = JSON.parse(json.stdout) as Document;
  expect([document.complete, document.valid]).toEqual([false, false]);
  expect(document.diagnostics).toMatchObject([{ code: 'LNT1018', range: { file: 'broken.yaml' } }]);
});

test('a mistake in the call: no document, exit code 2', async () => {
  const { pretty, json } = await inBothFormats({ 'service.yaml': FOREIGN }, ['check', '.']);
  expect(json).toEqual(pretty);
  expect([json.code, json.stdout]).toEqual([2, '']);
});

test('build tells what it wrote', async () => {
  const { pretty, json } = await inBothFormats(CLEAN, ['build', '.', '--out', 'out']);
  const [bundle] = (JSON.parse(json.stdout) as Document).bundles ?? [];
  expect(pretty.stdout).toBe(
    `default/eng ${bundle?.digest} out/bundles/default/eng/${bundle?.digest.replace(':', '-')}\n`,
  );
});

async function inBothFormats(
  files: { readonly [path: string]: string },
  args: readonly string[],
  prepare?: (folder: TemporaryFolder) => Promise<void>,
): Promise<{ readonly pretty: Outcome; readonly json: Outcome }> {
  const once = async (format: string) => {
    await using folder = await temporaryFolder(files);
    await prepare?.(folder);
    return await run(PROGRAM.lintel, [...args, '--format', format], { cwd: folder.path });
  };
  return { pretty: await once('pretty'), json: await once('json') };
}
