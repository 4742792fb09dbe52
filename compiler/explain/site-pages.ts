/** Pages of the documentation site about codes and fields. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';

/**
 * Address of Lintel's own site, with a trailing slash. There is none yet, so links appear only if a project configures a site: a dead link is
 * worse than none.
 */
const PUBLISHED: string | undefined = undefined;

/** @param named as in the project's configuration, with or without a trailing slash */
export function resolveSiteAddress(named: string | undefined): string | undefined {
  return named === undefined ? PUBLISHED : named.replace(/\/*$/, '/');
}

/** Relative to the root of the site. */
export function getCodePage(code: DiagnosticCode): string {
  return `codes/${code}.html`;
}

/**
 * Address of a code's page; undefined without a site.
 * @param named as in the project's configuration
 */
export function findCodePage(code: DiagnosticCode, named: string | undefined): string | undefined {
  const site = resolveSiteAddress(named);
  return site === undefined ? undefined : site + getCodePage(code);
}

/** Relative to the root of the site. List items and map values have no page of their own, so addresses contain neither `[]` nor `*`. */
export function getFieldPage(path: string): string {
  return `fields/${path.replaceAll('[]', '').replaceAll('.*', '')}.html`;
}
