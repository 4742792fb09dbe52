/**
 * Where more is written about what a finding or a field is: pages that ship with the package, so that an editor opens them offline. In a single
 * executable no editor reaches them.
 */
import { pathToFileURL } from 'node:url';
import { LOCK_FILE } from '#schemas';
import { CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import { IS_EXECUTABLE, packageFile } from '../package-files.ts';
import { PROJECT_FILE } from '../project/find-project-file.ts';

/** The page about a code; undefined in a single executable. */
export function pageOfCode(code: DiagnosticCode): string | undefined {
  return pageAt(`compiler/diagnostics/codes/${code}-${CODES[code].name}.md`);
}

/** How the reference calls our own files. */
const SECTIONS: Readonly<Record<string, string>> = { [PROJECT_FILE]: 'projectfile', [LOCK_FILE]: 'cataloglock' };

/** The part of the reference about the kind or file of a field; undefined in a single executable. */
export function pageOfField(kind: string): string | undefined {
  const page = pageAt('schemas/generated/REFERENCE.md');
  return page && `${page}#${SECTIONS[kind] ?? kind.toLowerCase()}`;
}

function pageAt(path: string): string | undefined {
  return IS_EXECUTABLE ? undefined : pathToFileURL(packageFile(path)).href;
}
