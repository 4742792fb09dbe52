import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createDiagnostic } from '../diagnostics/diagnostic.ts';
import type { FoundFile } from '../source/find-files.ts';
import { isProgram } from '../source/is-program.ts';
import type { Sources } from '../source/read-sources.ts';
import type { SourceDocument } from '../source/source-document.ts';
import { SourceText } from '../source/source-text.ts';

/** The outcome of a program among the sources. The caller of the compiler has run it, or not. */
export interface ProgramOutcome {
  readonly documents: readonly SourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** The texts of the files of the program, without those of its dependencies, by the path that messages show. */
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Whether a line of one of its files, from 1, was executed; true for all lines when unknown. */
  readonly wasRun?: (file: string, line: number) => boolean;
  /** False when the program's output is unknown. */
  readonly complete: boolean;
}

/** The found files without programs, and the programs. */
export function separatePrograms(files: readonly FoundFile[]): {
  readonly programs: readonly FoundFile[];
  readonly texts: readonly FoundFile[];
} {
  const isOne = ({ path, absolute }: FoundFile) => absolute !== null && isProgram(path);
  return { programs: files.filter(isOne), texts: files.filter(file => !isOne(file)) };
}

/** Adds the outcomes of programs to the sources; a program that was not run is a finding. */
export function withPrograms(
  sources: Sources,
  programs: readonly FoundFile[],
  outcomes: ReadonlyMap<string, ProgramOutcome> = new Map(),
): Sources {
  if (programs.length === 0) return sources;
  const came = programs.map(({ path, absolute }) => outcomes.get(absolute ?? '') ?? createNotRun(path));
  return {
    ...sources,
    documents: [...sources.documents, ...came.flatMap(({ documents }) => documents)],
    diagnostics: [...sources.diagnostics, ...came.flatMap(({ diagnostics }) => diagnostics)],
    texts: new Map([...sources.texts, ...came.flatMap(({ texts }) => [...texts])]),
    wasRun: (file, line) => {
      const having = came.filter(({ texts }) => texts.has(file));
      return having.length === 0 || having.some(({ wasRun }) => wasRun?.(file, line) ?? true);
    },
    files: sources.files + programs.length,
    complete: sources.complete && came.every(({ complete }) => complete),
  };
}

function createNotRun(path: string): ProgramOutcome {
  const location = { file: path, pointer: '', range: new SourceText(path, '').range(0, 0) };
  const found = createDiagnostic('LNT1092', location, 'this is a program, and programs are not run here');
  return { documents: [], diagnostics: [found], texts: new Map(), complete: false };
}
