/** From findings to texts without those that have a safe fix: tries fixes, and takes those that bring nothing new. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';
import { applyFixes } from './apply-fixes.ts';
import { fixKey, type LeftFix, type PlannedFix, planFixes } from './planned-fixes.ts';

/** What compiling some texts came to. */
export interface Attempt {
  readonly diagnostics: readonly Diagnostic[];
  /** Whether everything was read. */
  readonly complete: boolean;
  /** The text of a file of specs. */
  findText(file: string): SourceText | undefined;
  isLinked(file: string): boolean;
}

export interface FixedTexts<A> {
  /** What compiling the changed texts came to. */
  readonly attempt: A;
  /** By name. */
  readonly changed: ReadonlyMap<string, SourceText>;
  readonly fixes: readonly PlannedFix[];
  readonly left: readonly LeftFix[];
}

/**
 * Applies safe fixes until there is none. A kind that is corrected shows what its fields have, so that one fix leads to others. One that
 * brings a finding of its own is left, and so is one whose finding stays.
 *
 * @param compile with these texts in place of files
 */
export async function fixTexts<A extends Attempt>(
  compile: (changed: ReadonlyMap<string, SourceText>) => Promise<A>,
): Promise<FixedTexts<A>> {
  const first = await compile(new Map());
  const refused = new Map<string, string>();
  for (;;) {
    const result = await fixAllBut(refused, first, compile);
    if (!(result instanceof Map)) return result;
    // What was built on a fix that does not hold must go as well.
    for (const [key, reason] of result) refused.set(key, reason);
  }
}

/** The texts, or the fixes that turned out not to hold. */
async function fixAllBut<A extends Attempt>(
  refused: ReadonlyMap<string, string>,
  first: A,
  compile: (changed: ReadonlyMap<string, SourceText>) => Promise<A>,
): Promise<FixedTexts<A> | Map<string, string>> {
  let attempt = first;
  let changed: ReadonlyMap<string, SourceText> = new Map();
  const done: PlannedFix[] = [];
  for (;;) {
    const readText = (file: string) => attempt.findText(file);
    const { fixes, left } = planFixes(attempt.diagnostics, readText, attempt.isLinked, refused);
    if (fixes.length === 0) {
      const unsound = troubles(done, first.diagnostics, attempt.diagnostics, attempt.complete || !first.complete);
      return unsound.size > 0 ? unsound : { attempt, changed, fixes: done, left };
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

/** Fixes at whose place there is a finding now that was not there, with the reason. */
function troubles(
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

/** Wherever it stands: the place is another one after a fix before it. */
function formatIdentity({ file, code, object, pointer, message }: Diagnostic): string {
  return [file, code, object?.kind, object?.name, pointer, message].join('\n');
}

function isAt({ pointer }: Diagnostic, location: string): boolean {
  return pointer === location || pointer.startsWith(`${location}/`);
}

/** The document is left out then, so the finding belongs to no value of it. */
function isTwice({ code, message }: Diagnostic, { after }: PlannedFix): boolean {
  return code === 'LNT1002' && message.includes(`"${after}"`);
}
