/** Maximum number of characters of a termination message. */
const MAX_WORDS = 1_000;

/**
 * Why a container ended, from the end of its log: the message of the runtime or the bridge, otherwise the last line; for a JSON line its message
 * and error. Empty for an empty log.
 *
 * @param log - at most the 2048 bytes that Kubernetes keeps, so the first line may be truncated
 */
export function readTerminationMessage(log: string): string {
  const lines = log
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const own = lines.findLast(line => OURS.test(line));
  // The lines after the cause are omitted: they are hints for people at a terminal, such as how to get help.
  const words = own === undefined ? readMessage(lines.at(-1) ?? '') : own.replace(OURS, '');
  const clean = words.toWellFormed();
  return clean.length > MAX_WORDS ? `${clean.slice(0, MAX_WORDS - 1).toWellFormed()}…` : clean;
}

const OURS = /^lintel-(?:runtime|bridge): /;

function readMessage(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { msg, err } = JSON.parse(line) as { msg?: unknown; err?: { message?: unknown } };
    return [msg, err?.message].filter(part => typeof part === 'string' && part !== '').join(': ') || line;
  } catch {
    return line;
  }
}
