/** `*.test.yaml`: tests of a workflow. */
import { FILE_SCHEMAS, type WorkflowTestFile } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ConfigurationError, createConfigurationError, readConfigurationFile } from '../project/index.ts';
import type { FoundFile } from '../source/find-files.ts';
import type { SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';

/** A file whose mistakes are findings already is not here. */
export interface TestFile {
  readonly document: SourceDocument;
  readonly value: WorkflowTestFile;
  /** What to write recorded answers to. */
  readonly absolute: string;
}

export interface ReadTestFile {
  /** Undefined for a file with mistakes, and for one of specs. */
  readonly file?: TestFile;
  readonly source?: SourceText;
  readonly diagnostics: readonly Diagnostic[];
}

const NAME = /\.test\.ya?ml$/i;

/** Whether a file has the name of one with tests. */
export function isTestFileName(path: string): boolean {
  return NAME.test(path);
}

/** Whether a file that was found is one of tests, and not of specs with such a name. */
export function isTestFile({ path, absolute }: FoundFile): boolean {
  if (absolute === null || !isTestFileName(path)) return false;
  const { file, diagnostics } = readTestFile({ path, absolute });
  return file !== undefined || diagnostics.length > 0;
}

/** Specs may have such a name too, since `test` is a stage to some: a document that has an API version is none of tests. */
export function readTestFile({ path, absolute }: FoundFile & { readonly absolute: string }): ReadTestFile {
  try {
    const { source, document } = readConfigurationFile(absolute, path, FILE_SCHEMAS.WorkflowTestFile);
    if (document === undefined) return { source, diagnostics: [] };
    const value = document.value as WorkflowTestFile;
    const file = { document, value, absolute };
    return { file, source, diagnostics: repeatedNames(file) };
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

/** Reports tell tests apart by their names. */
function repeatedNames({ document, value: { tests } }: Pick<TestFile, 'document' | 'value'>): readonly Diagnostic[] {
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
