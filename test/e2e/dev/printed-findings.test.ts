/** What `lintel dev` prints at each save: errors, and new findings. */
import { expect, test } from 'vitest';
import type { Diagnostic } from '#compiler';
import type { CompiledPaths } from '../../../compiler/commands/compile-paths.ts';
import { PrintedFindings } from '../../../compiler/commands/printed-findings.ts';
import { at, findings } from '../../compiler/diagnostics/finding.ts';

/** The result of a compilation with these findings. */
function compiled(...found: readonly Diagnostic[]): CompiledPaths {
  return { compilation: { findings: findings(...found) } } as unknown as CompiledPaths;
}

function codesOf({ compilation }: CompiledPaths): readonly string[] {
  return compilation.findings.diagnostics.map(({ code }) => code);
}

const HINT = at('a.yaml', 0, 'LNT6012');
const OTHER = at('a.yaml', 5, 'LNT2004');
const ERROR = at('a.yaml', 9, 'LNT1003');

test('`lintel dev` prints a hint once, even if an edit moves the hint to another line, and again when the hint reappears', () => {
  const printed = new PrintedFindings();
  const news = (...found: readonly Diagnostic[]) => {
    const { compiled: shown, others } = printed.findNew(compiled(...found));
    return [codesOf(shown), others];
  };
  expect(news(HINT)).toEqual([['LNT6012'], '']);
  expect(news(at('a.yaml', 40, 'LNT6012'))).toEqual([[], '1 finding as before']);
  expect(news(HINT, OTHER)).toEqual([['LNT2004'], '1 finding as before']);
  expect(news(OTHER)).toEqual([[], '1 finding as before, 1 gone']);
  expect(news(HINT, OTHER)).toEqual([['LNT6012'], '1 finding as before']);
  expect(news()).toEqual([[], '2 gone']);
});

test('`lintel dev` prints an error at each save, and counts all findings', () => {
  const printed = new PrintedFindings();
  printed.findNew(compiled(ERROR, HINT));
  const { compiled: shown } = printed.findNew(compiled(ERROR, HINT));
  expect(codesOf(shown)).toEqual(['LNT1003']);
  expect(shown.compilation.findings.counts).toEqual({ error: 1, warning: 0, hint: 1 });
});
