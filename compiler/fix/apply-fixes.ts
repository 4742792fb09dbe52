import { SourceText } from '../source/source-text.ts';
import type { PlannedFix } from './planned-fixes.ts';

/** The new texts of the files that fixes change, by name; other content stays. */
export function applyFixes(
  fixes: readonly PlannedFix[],
  findText: (file: string) => SourceText | undefined,
): ReadonlyMap<string, SourceText> {
  const byFile = Map.groupBy(fixes, ({ found }) => found.file);
  const changed = new Map<string, SourceText>();
  for (const [file, ofFile] of byFile) {
    const source = findText(file);
    if (source !== undefined) changed.set(file, withEdits(source, ofFile));
  }
  return changed;
}

function withEdits(source: SourceText, fixes: readonly PlannedFix[]): SourceText {
  const inOrder = fixes.map(({ edit }) => edit).sort((a, b) => a.range.start.offset - b.range.start.offset);
  let text = source.startsWithMark ? '\uFEFF' : '';
  let at = 0;
  for (const { range, text: word } of inOrder) {
    text += source.text.slice(at, range.start.offset) + word;
    at = range.end.offset;
  }
  return new SourceText(source.file, text + source.text.slice(at));
}
