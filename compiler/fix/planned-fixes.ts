import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Edit, parseFix } from '../diagnostics/edits.ts';
import type { SourceText } from '../source/source-text.ts';
import { formatPointer, parsePointer } from '../text/pointer.ts';
import { BY_HAND, explainLeft } from './safe-fix.ts';

/** The replacement of one word. */
export interface PlannedFix {
  readonly found: Diagnostic;
  readonly edit: Edit;
  readonly before: string;
  readonly after: string;
  /** The pointer after the change: to the word if it is a value, or to the value under it if it is a key. */
  readonly pointer: string;
}

/** A fix that needs a person's decision. */
export interface RemainingFix {
  readonly found: Diagnostic;
  readonly before: string;
  readonly after: string;
  /** Why the fix was not applied, as the end of a sentence. */
  readonly reason: string;
}

export interface FixPlan {
  /** Fixes whose ranges do not overlap. */
  readonly fixes: readonly PlannedFix[];
  readonly remaining: readonly RemainingFix[];
}

/**
 * The fixes that can be applied without a decision.
 *
 * @param findText undefined for anything but a spec file, such as a program
 * @param isLinked whether a file is reached through a link: it may belong to another project
 * @param refused why tried fixes were dropped, by {@link fixKey}
 */
export function planFixes(
  diagnostics: readonly Diagnostic[],
  findText: (file: string) => SourceText | undefined,
  isLinked: (file: string) => boolean,
  refused: ReadonlyMap<string, string>,
): FixPlan {
  const fixes = new Map<string, PlannedFix>();
  const remaining: RemainingFix[] = [];
  for (const found of diagnostics) {
    const source = findText(found.file);
    const planned = planFix(found, source);
    if (planned === undefined) {
      if (source !== undefined) remaining.push(...suggestRemaining(found, source));
      continue;
    }
    const { before, after, edit } = planned;
    const location = `${found.file}:${edit.range.start.offset}`;
    // An anchored value occurs several times in the object and once in the text.
    const other = fixes.get(location);
    const reason =
      explainLeft(found, after) ??
      (isLinked(found.file) ? 'the file is reached through a link' : undefined) ??
      refused.get(fixKey(planned)) ??
      (other !== undefined && other.after !== after ? 'other findings name another word for it' : undefined);
    if (reason !== undefined) remaining.push({ found, before, after, reason });
    else if (other === undefined) fixes.set(location, planned);
  }
  return { fixes: [...fixes.values()], remaining };
}

/** The same key for the same fix, independent of earlier fixes. */
export function fixKey({ found, before, after }: PlannedFix): string {
  return [found.file, found.code, found.object?.kind, found.object?.name, found.pointer, before, after].join('\n');
}

function planFix(found: Diagnostic, source: SourceText | undefined): PlannedFix | undefined {
  if (source === undefined || found.constructPath !== undefined) return undefined;
  const { start, end } = found.range;
  const before = source.text.slice(start.offset, end.offset);
  const fix = parseFix(found, before);
  if (fix === undefined) return undefined;
  const after = unquote(fix.edit.text);
  const path = parsePointer(found.pointer);
  const isKey = String(path.at(-1)) === unquote(before);
  const pointer = isKey ? formatPointer([...path.slice(0, -1), after]) : found.pointer;
  return { found, edit: fix.edit, before: unquote(before), after, pointer };
}

/** Maximum length of displayed text, in UTF-16 code units. */
const MAX_SHOWN = 80;

/** A fix for a person: there are several candidates, or the name is where no edit is possible, such as in a string within a string. */
function suggestRemaining(found: Diagnostic, source: SourceText): RemainingFix[] {
  const [, after] = /^did you mean (.+)\?$/.exec(found.fix ?? '') ?? [];
  if (after === undefined || found.constructPath !== undefined) return [];
  const replacedText = source.text.slice(found.range.start.offset, found.range.end.offset);
  // If the name itself cannot be located, the finding marks the whole text.
  const before = replacedText.length > MAX_SHOWN || replacedText.includes('\n') ? 'a name' : unquote(replacedText);
  return [{ found, before, after, reason: BY_HAND }];
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}
