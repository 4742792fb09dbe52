/**
 * The documentation pages about codes and fields: on the documentation site if there is one, otherwise in files of the package, which editors
 * open offline. In a single executable editors cannot reach these files.
 */
import { pathToFileURL } from 'node:url';
import { LOCK_FILE } from '#schemas';
import { CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import { IS_EXECUTABLE, resolvePackageFile } from '../package-files.ts';
import { PROJECT_FILE } from '../project/index.ts';
import type { FieldLocation } from './find-field.ts';
import { getCodePage, getFieldPage } from './site-pages.ts';

/**
 * The page about a code; undefined in a single executable without a site.
 * @param site the address of the documentation site
 */
export function findCodePage(code: DiagnosticCode, site: string | undefined): string | undefined {
  if (site !== undefined) return site + getCodePage(code);
  return findPage(`compiler/diagnostics/codes/${code}-${CODES[code].name}.md`);
}

/** The sections of the reference about Lintel's own files. */
const SECTIONS: Readonly<Record<string, string>> = { [PROJECT_FILE]: 'projectfile', [LOCK_FILE]: 'cataloglock' };

/**
 * The page of a field, or the reference's section about its kind or file; undefined in a single executable without a site.
 * @param site the address of the documentation site
 */
export function findFieldPage({ kind, path }: FieldLocation, site: string | undefined): string | undefined {
  if (site !== undefined) return site + getFieldPage(path);
  const page = findPage('schemas/generated/REFERENCE.md');
  return page && `${page}#${SECTIONS[kind] ?? kind.toLowerCase()}`;
}

/** A language server looks up the page of each finding after each change. */
const addresses = new Map<string, string>();

function findPage(path: string): string | undefined {
  if (IS_EXECUTABLE) return undefined;
  const address = addresses.get(path) ?? pathToFileURL(resolvePackageFile(path)).href;
  addresses.set(path, address);
  return address;
}
