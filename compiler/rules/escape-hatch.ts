import { ESCAPE_HATCHES_ANNOTATION } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readEscapeHatches, resolvePointerPath } from '../resolve/escape-hatches.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * Reports the fields that a program set past its constructs, so that reviewers need not search for them.
 *
 * @holds incomingAuth | annotation `lintel.dev/escape-hatches` | each field that a program set without its constructs is reported, for every
 *   kind | LNT1040
 */
export function escapeHatch({ document }: Resource): Diagnostic[] {
  const hatches = readEscapeHatches(document.doc.value);
  if (hatches === 'malformed') {
    const path = ['metadata', 'annotations', ESCAPE_HATCHES_ANNOTATION];
    return [diagnose(document, 'LNT1040', path, `${ESCAPE_HATCHES_ANNOTATION} is not a JSON list of pointers`)];
  }
  return hatches.map(pointer =>
    diagnose(
      document,
      'LNT1040',
      resolvePointerPath(document.doc.value, pointer),
      `${pointer} is set without a construct of lintel/cdk8s`,
    ),
  );
}
