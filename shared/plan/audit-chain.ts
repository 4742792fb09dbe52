/**
 * The hash chain of an audit log. Each line ends with its number, the hash of the previous line, and its own hash, which covers the whole line
 * before it. So the chain shows when a line was changed, removed, inserted or moved. It does not show that lines at the end were cut off, or
 * that the whole log was rewritten. To detect these, keep the newest hash where the process that writes the log cannot change it.
 */
import { hash } from 'node:crypto';

/** The end of a chain: the number of its newest line, counted from 1, and the hash of that line (64 hexadecimal digits). */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

/** What a line states about its position in a chain. */
export interface ChainPosition extends ChainHead {
  /** Hash of the previous line. */
  readonly previous: string;
  /** Whether the hash matches the text of the line. */
  readonly isIntact: boolean;
}

/** The head of an empty chain. */
export const CHAIN_START: ChainHead = { sequence: 0, hash: '0'.repeat(64) };

const SUFFIX = /,"chain":\{"sequence":([1-9]\d{0,15}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}\}$/;

/**
 * Adds a line to a chain.
 *
 * @param record a JSON object with members, on one line
 */
export function appendToChain(record: string, head: ChainHead): { readonly line: string; readonly head: ChainHead } {
  const sequence = head.sequence + 1;
  const text = `${record.slice(0, -1)},"chain":{"sequence":${sequence},"previous":"${head.hash}","hash":"`;
  const digest = hash('sha256', text, 'hex');
  return { line: `${text}${digest}"}}`, head: { sequence, hash: digest } };
}

/** The line's own statement about its position in a chain; undefined for a line without one. */
export function parseChainPosition(line: string): ChainPosition | undefined {
  const match = SUFFIX.exec(line);
  if (match === null) return undefined;
  const [, sequence = '', previous = '', digest = ''] = match;
  const text = line.slice(0, -(digest.length + '"}}'.length));
  return { sequence: Number(sequence), previous, hash: digest, isIntact: hash('sha256', text, 'hex') === digest };
}
