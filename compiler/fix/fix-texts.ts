/** Tries safe fixes, and keeps the fixes that cause no new finding. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';
import { applyFixes } from './apply-fixes.ts';
import { fixKey, type PlannedFix, planFixes, type RemainingFix } from './planned-fixes.ts';

/** The result of compiling some texts. */
export interface CompiledTexts {
  readonly diagnostics: readonly Diagnostic[];
  /** Whether everything was read. */
  readonly complete: boolean;
  /** The text of a file of specs. */
  findText(file: string): SourceText | undefined;
  isLinked(file: string): boolean;
}

export interface FixedTexts<A> {
  /** The result of compiling the changed texts. */
  readonly attempt: A;
  /** The changed texts, by the name of the file. */
  readonly changed: ReadonlyMap<string, SourceText>;
  readonly fixes: readonly PlannedFix[];
  readonly remaining: readonly RemainingFix[];
}

/**
 * Applies safe fixes repeatedly, because a corrected kind reveals findings about its fields. A fix is dropped if it causes a new finding, or if
 * its own finding stays.
 *
 * @param compile compiles with these texts instead of the files
 */
export async function fixTexts<A extends CompiledTexts>(
  compile: (changed: ReadonlyMap<string, SourceText>) => Promise<A>,
): Promise<FixedTexts<A>> {
  const first = await compile(new Map());
  const refused = new Map<string, string>();
  for (;;) {
    const result = await fixAllBut(refused, first, compile);
    if (!(result instanceof Map)) return result;
    // Fixes that depend on a dropped fix are dropped as well.
    for (const [key, reason] of result) refused.set(key, reason);
  }
}

/** The texts with all fixes that are not in `refused`, or the fixes that failed, with the reason. */
async function fixAllBut<A extends CompiledTexts>(
  refused: ReadonlyMap<string, string>,
  first: A,
  compile: (changed: ReadonlyMap<string, SourceText>) => Promise<A>,
): Promise<FixedTexts<A> | Map<string, string>> {
  let attempt = first;
  let changed: ReadonlyMap<string, SourceText> = new Map();
  const done: PlannedFix[] = [];
  for (;;) {
    const readText = (file: string) => attempt.findText(file);
    const { fixes, remaining } = planFixes(attempt.diagnostics, readText, attempt.isLinked, refused);
    if (fixes.length === 0) {
      const unsound = collectFailedFixes(
        done,
        first.diagnostics,
        attempt.diagnostics,
        attempt.complete || !first.complete,
      );
      return unsound.size > 0 ? unsound : { attempt, changed, fixes: done, remaining };
    }
    changed = new Map([...changed, ...applyFixes(fixes, readText)]);
    done.push(...fixes);
    attempt = await compile(changed);
    const repeated = fixes.filter(fix => stays(fix, attempt.diagnostics));
    if (repeated.length > 0) return new Map(repeated.map(fix => [fixKey(fix), 'the finding would stay']));
  }
}

function stays({ found, pointer }: PlannedFix, after: readonly Diagnostic[]): boolean {
  return after.some(
    other =>
      other.file === found.file &&
      other.code === found.code &&
      other.pointer === pointer &&
      other.message === found.message,
  );
}

/** Fixes at whose location a new finding appeared, with the reason. */
function collectFailedFixes(
  done: readonly PlannedFix[],
  before: readonly Diagnostic[],
  after: readonly Diagnostic[],
  isRead: boolean,
): Map<string, string> {
  const known = new Set(before.map(formatIdentity));
  const fresh = after.filter(found => !known.has(formatIdentity(found)));
  const refused = new Map<string, string>();
  for (const fix of done) {
    const brought = fresh.find(
      found => found.file === fix.found.file && (isAt(found, fix.pointer) || isTwice(found, fix)),
    );
    if (brought !== undefined) refused.set(fixKey(fix), `${brought.code} ${brought.name} would be found there`);
  }
  const isBroken = !isRead || fresh.some(({ code }) => code === 'LNT1001' || code === 'LNT1002');
  if (refused.size === 0 && isBroken)
    for (const fix of done) refused.set(fixKey(fix), 'the file could not be read then');
  return refused;
}

/** Identifies a finding without its position, which earlier fixes may have changed. */
function formatIdentity({ file, code, object, pointer, message }: Diagnostic): string {
  return [file, code, object?.kind, object?.name, pointer, message].join('\n');
}

function isAt({ pointer }: Diagnostic, location: string): boolean {
  return pointer === location || pointer.startsWith(`${location}/`);
}

/**
 * Whether the finding is about a key that the fix wrote and that the mapping already has. Such a finding has no pointer, because a document with
 * a repeated key has no values.
 */
function isTwice({ code, message }: Diagnostic, { after }: PlannedFix): boolean {
  return code === 'LNT1002' && message.includes(`"${after}"`);
}
