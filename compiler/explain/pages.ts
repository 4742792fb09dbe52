/**
 * Where more is written about what a finding or a field is: on the site of the documentation, where there is one, or else in pages that ship
 * with the package, so that an editor opens them offline. In a single executable no editor reaches the latter.
 */
import { pathToFileURL } from 'node:url';
import { LOCK_FILE } from '#schemas';
import { CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import { IS_EXECUTABLE, packageFile } from '../package-files.ts';
import { PROJECT_FILE } from '../project/index.ts';
import type { FieldLocation } from './field-place.ts';
import { getCodePage, getFieldPage } from './site-pages.ts';

/** The page about a code; undefined in a single executable without a site. @param site its address */
export function pageOfCode(code: DiagnosticCode, site: string | undefined): string | undefined {
  if (site !== undefined) return site + getCodePage(code);
  return pageAt(`compiler/diagnostics/codes/${code}-${CODES[code].name}.md`);
}

/** How the reference calls our own files. */
const SECTIONS: Readonly<Record<string, string>> = { [PROJECT_FILE]: 'projectfile', [LOCK_FILE]: 'cataloglock' };

/**
 * The page of a field, or the part of the reference about its kind or file; undefined in a single executable without a site.
 *
 * @param site its address
 */
export function pageOfField({ kind, path }: FieldLocation, site: string | undefined): string | undefined {
  if (site !== undefined) return site + getFieldPage(path);
  const page = pageAt('schemas/generated/REFERENCE.md');
  return page && `${page}#${SECTIONS[kind] ?? kind.toLowerCase()}`;
}

function pageAt(path: string): string | undefined {
  return IS_EXECUTABLE ? undefined : pathToFileURL(packageFile(path)).href;
}
