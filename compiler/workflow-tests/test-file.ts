/** `*.test.yaml`: workflow tests. */
import { FILE_SCHEMAS, getMember, type WorkflowTestFile } from '#schemas';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { ConfigurationError, createConfigurationError, readConfigurationFile } from '../project/index.ts';
import type { FoundFile } from '../source/find-files.ts';
import { readText } from '../source/read-text.ts';
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
  const { file, source, diagnostics } = readTestFile({ path, absolute });
  return file !== undefined || (diagnostics.length > 0 && !(source !== undefined && holdsObjects(source)));
}

/**
 * Specs may have such a file name too, since some people call a stage `test`: a document with an API version is not a test. Tests that would not be
 * run are an error: a check that silently runs nothing cannot fail.
 */
export function readTestFile({ path, absolute }: FoundFile & { readonly absolute: string }): ReadTestFile {
  try {
    const { source, document } = readConfigurationFile(absolute, path, FILE_SCHEMAS.WorkflowTestFile);
    if (document === undefined) return { source, diagnostics: [createEmptyFileError(path)] };
    const value = document.value as WorkflowTestFile;
    const file = { document, value, absolute };
    return { file, source, diagnostics: checkRepeatedNames(file) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [source] = error.texts;
    if (source !== undefined && holdsObjects(source)) {
      const tests = readText(source).documents.filter(holdsTests);
      const reason = 'because the file also has objects';
      return { source, diagnostics: reportNotRun(tests, reason, 'Move the objects into a file of their own') };
    }
    return { ...(source !== undefined && { source }), diagnostics: error.diagnostics };
  }
}

/** Tests among the specs, which are not run because their file has another name. */
export function findMisnamedTests(documents: readonly SourceDocument[]): readonly Diagnostic[] {
  const misnamed = documents.filter(document => !isTestFileName(document.file) && holdsTests(document));
  return reportNotRun(misnamed, 'because the name of the file does not end in .test.yaml', 'Rename the file');
}

function reportNotRun(documents: readonly SourceDocument[], reason: string, help: string): readonly Diagnostic[] {
  return documents.map(document =>
    createConfigurationError(document, ['tests'], 'LNT1004', `these tests are not run, ${reason}`, { at: 'key', help }),
  );
}

/** Whether a document has the two fields that every test file has. */
function holdsTests({ value }: SourceDocument): boolean {
  return typeof getMember(value, 'workflow') === 'string' && Array.isArray(getMember(value, 'tests'));
}

function createEmptyFileError(file: string): Diagnostic {
  const start = { line: 1, column: 1, offset: 0 };
  const message = 'the file has no tests: write tests, or delete the file';
  return createDiagnostic('LNT1010', { file, pointer: '', range: { start, end: start } }, message);
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
