/** Reads the lines of an audit log and finds where its hash chain is broken. */
import { CHAIN_START, type ChainHead, type ChainPosition, parseChainPosition } from '#shared/plan';

/** One line of a log. */
export interface LogLine {
  readonly file: string;
  /** The number of the line in its file, from 1. */
  readonly number: number;
  /** The line without its line break; null for invalid UTF-8. */
  readonly text: string | null;
  /** Whether the line ends with a line break. */
  readonly isComplete: boolean;
}

export interface ChainProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface ChainVerification {
  /** Number of complete lines that belong to the chain. */
  readonly records: number;
  /** The sequence number of the chain's first record; null when there is none. */
  readonly first: number | null;
  /** The sequence number and the hash of the chain's last record; null when there is none. */
  readonly head: ChainHead | null;
  /** The first problems, in the order of the lines. */
  readonly problems: readonly ChainProblem[];
  readonly problemCount: number;
  /** Number of records before the chain begins, which no hash protects. */
  readonly unchained: number;
  /** Number of partially written lines after which the chain continues. */
  readonly torn: number;
}

/** Maximum number of reported problems: when the whole log is broken, the first ones suffice. */
export const MAX_PROBLEMS = 20;

/** @param lines of all files, from the oldest to the newest */
export async function verifyChain(lines: AsyncIterable<LogLine>): Promise<ChainVerification> {
  const chain = new ChainReader();
  for await (const line of lines) chain.read(line);
  return chain.getVerification();
}

class ChainReader {
  #records = 0;
  #first: number | null = null;
  #head: ChainHead | null = null;
  #problemCount = 0;
  readonly #problems: ChainProblem[] = [];
  #unchained = 0;
  #torn = 0;
  /** A line that is not a record, until the following lines show why. */
  #odd: LogLine | undefined;

  read(line: LogLine): void {
    const position = line.isComplete && line.text !== null ? parseChainPosition(line.text) : undefined;
    if (position !== undefined) {
      this.#checkPosition(line, position);
      return;
    }
    this.#settleOdd(false);
    this.#odd = line;
  }

  getVerification(): ChainVerification {
    this.#settleOdd(false);
    return {
      records: this.#records,
      first: this.#first,
      head: this.#head,
      problems: this.#problems,
      problemCount: this.#problemCount,
      unchained: this.#unchained,
      torn: this.#torn,
    };
  }

  #checkPosition(line: LogLine, position: ChainPosition): void {
    const { sequence, previous, hash, isIntact } = position;
    const before = this.#head;
    const follows = before !== null && sequence === before.sequence + 1 && previous === before.hash;
    this.#settleOdd(follows);
    this.#records++;
    if (!isIntact) this.#reportProblem(line, `record ${sequence} was changed: its hash is not that of its text`);
    if (before === null) {
      this.#first = sequence;
      if (sequence === 1 && previous !== CHAIN_START.hash)
        this.#reportProblem(line, 'record 1 follows another one, though it is the first');
    } else if (!follows) {
      this.#reportProblem(line, describeBreak(before, position));
      // `head` stays: the next record continues from it, and not from this record, which is out of order.
      if (sequence <= before.sequence && sequence !== 1) return;
    }
    this.#head = { sequence, hash };
  }

  /** @param isBridged whether the records before and after the line follow each other */
  #settleOdd(isBridged: boolean): void {
    const line = this.#odd;
    this.#odd = undefined;
    if (line === undefined) return;
    if (line.text === null) this.#reportProblem(line, 'the line is not UTF-8');
    else if (isBridged && isTorn(line)) this.#torn++;
    else if (!line.isComplete)
      this.#reportProblem(line, 'the line has no end: the log was cut off, or its writer was killed');
    else if (this.#head === null) this.#unchained++;
    else this.#reportProblem(line, 'the line has no place in the chain');
  }

  #reportProblem({ file, number }: LogLine, message: string): void {
    this.#problemCount++;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ file, line: number, message });
  }
}

function describeBreak(before: ChainHead, { sequence }: ChainPosition): string {
  const expected = before.sequence + 1;
  if (sequence === expected) return `record ${sequence} does not follow record ${before.sequence}: one was replaced`;
  if (sequence === 1) return `another chain begins, behind record ${before.sequence}: records may be missing`;
  if (sequence < expected) return `record ${sequence} is out of place, behind record ${before.sequence}`;
  const missing = sequence - 1 === expected ? `record ${expected} is` : `records ${expected} to ${sequence - 1} are`;
  return `${missing} missing`;
}

/** Whether a line is the beginning of a record, left by an interrupted write. */
function isTorn({ text }: LogLine): boolean {
  if (text?.startsWith('{') !== true) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
