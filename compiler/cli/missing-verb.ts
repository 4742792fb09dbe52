/** `lintel can` without the word that says what the caller wants to do. */
import { existsSync } from 'node:fs';
import { CAN_VERBS, type CanVerb } from '../commands/can.ts';
import { getOwnCommand, quoteForShell } from '../own-command.ts';
import { findNearest } from '../text/nearest.ts';
import { UsageError } from '../usage-error.ts';

/**
 * @param args those of the program
 * @throws UsageError with the command that was probably meant; not for a misspelt word, which the parser corrects
 */
export function refuseMissingVerb([command, first = '-', ...others]: readonly string[]): void {
  const isVerb = (CAN_VERBS as readonly string[]).includes(first);
  if (command !== 'can' || first.startsWith('-') || isVerb || findNearest(first, CAN_VERBS) !== undefined) return;
  // Another word in the place of the verb, such as `fetch`, is followed by the name, and a name is followed by paths.
  const [next = '-'] = others;
  const isOtherVerb = !next.startsWith('-') && !existsSync(next);
  const words = isOtherVerb ? others : [first, ...others];
  const verb: CanVerb = words[0]?.includes('://') ? 'read' : 'call';
  const meant = [getOwnCommand(), 'can', verb, ...words.map(quoteForShell)].join(' ');
  throw new UsageError(
    `${JSON.stringify(first)} does not say what the caller wants to do: write call before the name of a tool, get before that of a prompt, read before the URI of a resource, such as \`${meant}\``,
  );
}
