/** `*.test.yaml`: workflow tests. */
import { FILE_SCHEMAS, type WorkflowTestFile } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ConfigurationError, createConfigurationError, readConfigurationFile } from '../project/index.ts';
import type { FoundFile } from '../source/find-files.ts';
import type { SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';

/** A valid test file; files with findings are excluded. */
export interface TestFile {
  readonly document: SourceDocument;
  readonly value: WorkflowTestFile;
  /** Where recorded answers are written. */
  readonly absolute: string;
}

export interface ReadTestFile {
  /** Undefined for an invalid file, and for a file of specs. */
  readonly file?: TestFile;
  readonly source?: SourceText;
  readonly diagnostics: readonly Diagnostic[];
}

const NAME = /\.test\.ya?ml$/i;

/** Whether the file name is that of a test file. */
export function isTestFileName(path: string): boolean {
  return NAME.test(path);
}

/** Whether a found file contains tests, as opposed to specs in a file of such a name. */
export function isTestFile({ path, absolute }: FoundFile): boolean {
  if (absolute === null || !isTestFileName(path)) return false;
  const { file, diagnostics } = readTestFile({ path, absolute });
  return file !== undefined || diagnostics.length > 0;
}

/** Specs may have such a file name too, since some people call a stage `test`: a document with an API version is not a test. */
export function readTestFile({ path, absolute }: FoundFile & { readonly absolute: string }): ReadTestFile {
  try {
    const { source, document } = readConfigurationFile(absolute, path, FILE_SCHEMAS.WorkflowTestFile);
    if (document === undefined) return { source, diagnostics: [] };
    const value = document.value as WorkflowTestFile;
    const file = { document, value, absolute };
    return { file, source, diagnostics: checkRepeatedNames(file) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [source] = error.texts;
    if (source !== undefined && holdsObjects(source)) return { source, diagnostics: [] };
    return { ...(source !== undefined && { source }), diagnostics: error.diagnostics };
  }
}

function holdsObjects(source: SourceText): boolean {
  return /^(?:- )?apiVersion:/m.test(source.text);
}

/** Reports identify tests by name. */
function checkRepeatedNames({
  document,
  value: { tests },
}: Pick<TestFile, 'document' | 'value'>): readonly Diagnostic[] {
  const names = tests.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [
          createConfigurationError(
            document,
            ['tests', index, 'name'],
            'LNT1015',
            'another test of the file has this name',
          ),
        ]
      : [],
  );
}
