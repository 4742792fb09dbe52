import { getMember, isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import { locateValue } from './locate-finding.ts';
import type { Path, SourceDocument } from './source-document.ts';

/** Fields that may stand at the root of an object. */
const ROOT_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/**
 * Reports a missing field of the object's identity, without which no schema applies. If a sibling key looks like a misspelling of it, LNT1003
 * reports that key instead of `code`.
 *
 * @param path of the missing field
 */
export function reportMissingIdentity(
  document: SourceDocument,
  code: DiagnosticCode,
  path: Path,
  message: string,
  details: DiagnosticDetails = {},
): Diagnostic {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const holder = parent.reduce<unknown>((value, step) => getMember(value, String(step)), document.value);
  const keys = isObject(holder) ? Object.keys(holder) : [];
  const typo = keys.find(key => key !== name && !ROOT_FIELDS.includes(key) && findNearest(key, [name]) !== undefined);
  if (typo === undefined) return createDiagnostic(code, locateValue(document, path), message, details);
  const location = locateValue(document, [...parent, typo], 'key');
  return createDiagnostic('LNT1003', location, `unknown field ${JSON.stringify(typo)}, and ${message}`, {
    fix: `did you mean "${name}"?`,
  });
}
