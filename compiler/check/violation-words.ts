/** The code and the suggested correction of a schema violation. */
import type { StructuralSchema } from '#schemas';
import { findAbbreviation, findNearest } from '#shared/util';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { findOtherLocation } from './find-other-location.ts';
import { findOtherName, findOtherType } from './find-other-name.ts';
import type { Violation } from './violation.ts';

/** The code of each kind of violation. */
export const CODE_OF: { readonly [K in Violation['kind']]: DiagnosticCode } = {
  'unknown-field': 'LNT1003',
  'missing-field': 'LNT1010',
  'wrong-type': 'LNT1004',
  'not-in-enum': 'LNT1011',
  pattern: 'LNT1012',
  bounds: 'LNT1013',
  format: 'LNT1014',
  'duplicate-item': 'LNT1015',
};

export interface Remedy {
  readonly fix?: string;
  readonly help?: string;
}

/**
 * The nearest allowed word if one is similar; otherwise where the field belongs, or what to write.
 *
 * @param root the value that was checked, as written
 * @param schema the schema of the value, in which the right object for an unknown field is searched
 */
export function suggestRemedy(violation: Violation, root: unknown, schema?: StructuralSchema): Remedy {
  const { path, candidates = [], field } = violation;
  const otherName = violation.kind === 'unknown-field' ? findOtherName(root, path) : undefined;
  if (otherName !== undefined) return { help: otherName };
  const wrongWord = field ?? findWrongWord(root, path);
  const otherType = violation.kind === 'not-in-enum' ? findOtherType(root, path, wrongWord) : undefined;
  if (otherType !== undefined) return { help: otherType };
  const close = candidates.length > 0 && wrongWord !== undefined ? findNearest(wrongWord, candidates) : undefined;
  if (close !== undefined) return { fix: `did you mean "${close}"?` };
  const otherPath =
    violation.kind === 'unknown-field' && schema !== undefined ? findOtherLocation(schema, path) : undefined;
  if (otherPath !== undefined) return { help: `Move it into ${otherPath.join('.')}, which has a field of this name` };
  const short = wrongWord === undefined ? undefined : findAbbreviation(wrongWord, candidates);
  if (short !== undefined) return { help: `Did you mean "${short}"?` };
  const expected = formatExpected(violation);
  return expected === undefined ? {} : { help: expected };
}

/** The expected form as an instruction, with an example where the text has none. */
function formatExpected({ kind, expected, example, field }: Violation): string | undefined {
  if (expected === undefined) return undefined;
  const form = example === undefined || expected.includes('such as') ? expected : `${expected}, such as ${example}`;
  return kind === 'missing-field' ? `Add "${field}", ${form}` : `Write ${form}`;
}

function findWrongWord(root: unknown, path: Violation['path']): string | undefined {
  let value: unknown = root;
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  return typeof value === 'string' ? value : undefined;
}
