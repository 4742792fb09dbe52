/** Where the site of the documentation has what is explained. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';

/**
 * Address of the site that Lintel itself publishes, with a slash at its end. There is none yet, so that nothing leads there unless a project
 * names a site of its own: a dead link is worse than none.
 */
const PUBLISHED: string | undefined = undefined;

/** @param named as a project has it, with or without a slash at its end */
export function resolveSiteAddress(named: string | undefined): string | undefined {
  return named === undefined ? PUBLISHED : named.replace(/\/*$/, '/');
}

/** From the root of the site. */
export function getCodePage(code: DiagnosticCode): string {
  return `codes/${code}.html`;
}

/** Address of the page about a code; undefined where there is no site. @param named as a project has it */
export function findCodePage(code: DiagnosticCode, named: string | undefined): string | undefined {
  const site = resolveSiteAddress(named);
  return site === undefined ? undefined : site + getCodePage(code);
}

/** From the root of the site. Items of lists and values of maps have no page of their own, so that no address holds `[]` and `*`. */
export function getFieldPage(path: string): string {
  return `fields/${path.replaceAll('[]', '').replaceAll('.*', '')}.html`;
}
