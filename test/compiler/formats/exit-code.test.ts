/** The exit code of `lintel check` does not depend on the output formats or on the number of output files. */
import { readFile, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '#compiler';
import { type CheckOptions, check } from '../../../compiler/commands/check.ts';
import type { Output } from '../../../compiler/commands/outputs.ts';
import { FORMATS } from '../../../compiler/diagnostics/render/index.ts';
import { FOREIGN, GROUP } from '../../e2e/specs.ts';
import { temporaryFolder } from '../../support/process.ts';

const FILES: { readonly [name: string]: string } = {
  'clean.yaml': GROUP,
  'hint.yaml': GROUP.replace('MCPGroup', 'MCPServerEntry').concat(
    'spec: { remoteUrl: "https://a.example.com/mcp", transport: sse, groupRef: { name: tools }, caBundleRef: { configMapRef: { name: a } } }\n',
  ),
  'warning.yaml': GROUP.replace('v1beta1', 'v1alpha1').replace('tools', 'warned'),
  'error.yaml': GROUP.replace('name: tools', 'name: Tools'),
  'syntax.yaml': 'a: [',
  'foreign.yaml': FOREIGN,
  // Too deeply nested to be parsed, so not everything could be checked.
  'deep.yaml': `${'['.repeat(2000)}${']'.repeat(2000)}`,
};

const inputs = fc.subarray([...Object.keys(FILES), 'broken.yaml', 'missing.yaml'], { minLength: 1 });
const outputs = fc
  .record({ first: fc.option(fc.constantFrom(...FORMATS), { nil: undefined }), more: fc.subarray([...FORMATS]) })
  .filter(({ first, more }) => first !== undefined || more.length > 0);
const failOn = fc.constantFrom<CheckOptions['failOn'][]>('error', 'warning', 'hint');

afterEach(() => vi.restoreAllMocks());

test('lintel check has the same exit code in every format, and prints complete documents', async () => {
  await using folder = await temporaryFolder(FILES);
  await symlink('nothing', folder.file('broken.yaml'));
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    printed += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const seen = new Set<number>();
  let runs = 0;

  await fc.assert(
    fc.asyncProperty(inputs, failOn, outputs, async (names, failOn, { first, more }) => {
      const paths = names.map(name => folder.file(name));
      const exitCode = (outputs: readonly Output[]) =>
        check(paths, { outputs, failOn }).catch(error => {
          if (error instanceof UsageError) return 2;
          throw error;
        });
      const expected = await exitCode([{ format: 'pretty', file: undefined }]);
      seen.add(expected);

      for (const format of FORMATS) expect(await exitCode([{ format, file: undefined }]), format).toBe(expected);

      runs += 1;
      const files = more.map(format => ({ format, file: folder.file(`out/${runs}/${format}`) }));
      const chosen = [...(first === undefined ? [] : [{ format: first, file: undefined }]), ...files];
      expect(await exitCode(chosen)).toBe(expected);
      if (expected === 2) return;
      for (const { format, file } of files) {
        printed = '';
        await exitCode([{ format, file: undefined }]);
        expect(await readFile(file, 'utf8'), format).toBe(printed);
      }
    }),
    { seed: 20_260_401, numRuns: 60 },
  );
  expect([...seen].sort()).toEqual([0, 1, 2, 3]);
});
