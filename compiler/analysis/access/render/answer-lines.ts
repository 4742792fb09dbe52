/** The text of an answer, for each kind of server. */
import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';

interface Verdict {
  readonly caller: string;
  /** What the question is about, such as `call search of default/team`. */
  readonly what: string;
  readonly decision: 'allowed' | 'denied' | 'undecided';
}

export function formatAnswer(
  { caller, what, decision }: Verdict,
  causes: readonly string[],
  notes: readonly string[],
): string {
  const head = {
    allowed: `allowed: ${caller} may ${what}`,
    denied: `denied: ${caller} may not ${what}`,
    undecided: `undecided: whether ${caller} may ${what}`,
  }[decision];
  const lines = [...causes, ...notes.map(note => `note: ${note}`)];
  return [head, ...lines.map(line => `  ${line.replace(/\s*\n\s*/g, ' ')}`)]
    .map(line => `${escapeUnprintable(line)}\n`)
    .join('');
}
