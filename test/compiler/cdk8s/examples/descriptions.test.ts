/** An editor shows the description from the lock where a program selects a tool. */

import ts from 'typescript';
import { expect, test } from 'vitest';
import { ROOT } from '../../../support/process.ts';

const TEXT = `import { type Backend } from '${ROOT}/compiler/cdk8s/index.ts';
interface Github {
  /** Searches issues. */
  search: { input: { query: string }; output: unknown };
}
type Tools = { [N in keyof Github]: Github[N] };
declare const github: Backend<Tools>;
export const tool = github.tools.search;
`;

test('an editor shows the description of a tool of a typed lock', () => {
  const file = `${ROOT}/test/.described.ts`;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ['lintel-source'],
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
    }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: name => {
      const text = name === file ? TEXT : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  };
  const shown = ts.createLanguageService(host).getQuickInfoAtPosition(file, TEXT.lastIndexOf('search'));
  expect(ts.displayPartsToString(shown?.documentation)).toBe('Searches issues.');
});
