/**
 * The hash chain of an audit log. Each line ends with its number, the hash of the line before it, and its own hash, which is
 * that of all its text before the hash. So no line in between can be changed, taken out, put in or moved without the chain
 * telling. It cannot tell of lines that were cut off at the end, nor of a log that was rewritten as a whole: for that,
 * the newest hash has to be kept where the writer of the log cannot change it.
 */
import { hash } from 'node:crypto';

/** Where a chain stands: the number of its newest line, from 1, and the hash of it (64 hexadecimal digits). */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
}

/** What a line says of its place in a chain. */
export interface ChainPosition extends ChainHead {
  /** Hash of the line before it. */
  readonly previous: string;
  /** The hash is that of the text. */
  readonly isIntact: boolean;
}

/** Before the first line. */
export const CHAIN_START: ChainHead = { sequence: 0, hash: '0'.repeat(64) };

const SUFFIX = /,"chain":\{"sequence":([1-9]\d{0,15}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}\}$/;

/**
 * Adds a line to a chain.
 *
 * @param record a JSON object with members, on one line
 */
export function chainLine(record: string, head: ChainHead): { readonly line: string; readonly head: ChainHead } {
  const sequence = head.sequence + 1;
  const text = `${record.slice(0, -1)},"chain":{"sequence":${sequence},"previous":"${head.hash}","hash":"`;
  const digest = hash('sha256', text, 'hex');
  return { line: `${text}${digest}"}}`, head: { sequence, hash: digest } };
}

/** What a line says of its place in a chain; undefined for one that says nothing. */
export function parseChainPosition(line: string): ChainPosition | undefined {
  const match = SUFFIX.exec(line);
  if (match === null) return undefined;
  const [, sequence = '', previous = '', digest = ''] = match;
  const text = line.slice(0, -(digest.length + '"}}'.length));
  return { sequence: Number(sequence), previous, hash: digest, isIntact: hash('sha256', text, 'hex') === digest };
}
