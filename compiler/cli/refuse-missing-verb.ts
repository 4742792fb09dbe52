/** Handles `lintel can` without the word that says what the caller wants to do. */
import { existsSync } from 'node:fs';
import { findNearest } from '#shared/util';
import { CAN_VERBS, type CanVerb } from '../commands/can.ts';
import { getOwnCommand, quoteForShell } from '../own-command.ts';
import { UsageError } from '../usage-error.ts';

/**
 * @param args the arguments of the program
 * @throws UsageError with the command that was probably meant; a misspelt word is left to the parser
 */
export function refuseMissingVerb([command, first = '-', ...others]: readonly string[]): void {
  const isVerb = (CAN_VERBS as readonly string[]).includes(first);
  if (command !== 'can' || first.startsWith('-') || isVerb || findNearest(first, CAN_VERBS) !== undefined) return;
  // If the first word is an unknown verb, such as `fetch`, the next one is a name; if it is a name itself, the next one is the path of a source.
  const [next = '-'] = others;
  const isOtherVerb = !next.startsWith('-') && !existsSync(next);
  const words = isOtherVerb ? others : [first, ...others];
  const verb: CanVerb = words[0]?.includes('://') ? 'read' : 'call';
  const meant = [getOwnCommand(), 'can', verb, ...words.map(quoteForShell)].join(' ');
  throw new UsageError(
    `${JSON.stringify(first)} does not say what the caller wants to do: write call before the name of a tool, get before that of a prompt, read before the URI of a resource, see before a registry, such as \`${meant}\``,
  );
}
