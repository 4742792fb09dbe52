/** Audit logs with a hash chain. */
import { appendToChain, CHAIN_START, type ChainHead } from '#shared/plan';

/** Records as lines of a log, the newest last, with the head of the chain. */
export function chained(count: number, from: ChainHead = CHAIN_START) {
  const lines: string[] = [];
  let head = from;
  for (let at = 0; at < count; at++) {
    // Characters that some programs treat as a line break.
    const record = { audit_id: `record ${head.sequence + 1}`, target: { name: 'search\u2028\u0085é' } };
    const next = appendToChain(JSON.stringify(record), head);
    lines.push(next.line);
    head = next.head;
  }
  return { lines, head };
}

export const formatLog = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');
