/** Asks `lintel-runtime` over its standard streams: it has the wire and the engine of workflows. */
import { spawn } from 'node:child_process';
import { runtimeFile } from './serving/runtime-process.ts';

/** Limit on all answers together: 256 MB. */
export const MAX_RESPONSE_BYTES: number = 256 * 1024 * 1024;

/** Each answer is a line. */
const NEWLINE = 10;

export interface RuntimeResponses<Answer> {
  /** One for each whole line: the last one may have been cut off. */
  readonly answers: readonly Answer[];
  readonly isTooLarge: boolean;
  /** Why there may be fewer than expected, for a report. */
  readonly ended: string;
}

/**
 * @param query goes to standard input, since it may carry credentials
 * @param onAnswer called with each answer as it comes
 */
export async function queryRuntime<Answer>(
  command: 'call' | 'list' | 'rehearse',
  query: object,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<RuntimeResponses<Answer>> {
  // The channel carries nothing: it closes when we die, and the child then stops.
  const child = spawn(process.execPath, [runtimeFile(), command], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the runtime has no standard streams');
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  // A runtime that ends before it read everything reports that by its exit code.
  stdin.on('error', () => {}).end(JSON.stringify(query));
  const answers: Answer[] = [];
  let unread: unknown;
  const lines = lineSplitter(line => {
    try {
      const answer = JSON.parse(line) as Answer;
      answers.push(answer);
      onAnswer(answer);
    } catch (error) {
      unread ??= error;
    }
  });
  let bytes = 0;
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) child.kill('SIGKILL');
    else lines(chunk);
  });
  let complaint = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 2_000);
  });
  const code = await ended;
  if (unread !== undefined) throw unread;
  return {
    answers,
    isTooLarge: bytes > MAX_RESPONSE_BYTES,
    ended: `lintel-runtime ${command} ended with ${code}: ${complaint}`,
  };
}

/** Gives whole lines, once their end has come: the last one may have been cut off. */
function lineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let begun: Buffer[] = [];
  return chunk => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      onLine(Buffer.concat([...begun, chunk.subarray(start, end)]).toString('utf8'));
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  };
}
