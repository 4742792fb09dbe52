/** Runs `lintel-runtime` and communicates with it over its standard streams: the runtime has the protocol and the workflow engine. */
import { spawn } from 'node:child_process';
import { findRuntimeFile } from './serving/runtime-process.ts';

/** Limit on the total size of all answers: 256 MB. */
export const MAX_RESPONSE_BYTES: number = 256 * 1024 * 1024;

/** The byte that ends each answer: an answer is one line. */
const NEWLINE = 10;

export interface RuntimeResponses<Answer> {
  /** One answer for each complete line of the output. The last line is left out if it is truncated. */
  readonly answers: readonly Answer[];
  readonly isTooLarge: boolean;
  /** Why answers may be missing. */
  readonly ended: string;
}

/**
 * @param query sent to standard input, because it may contain credentials
 * @param onAnswer called with each answer as it arrives
 */
export async function queryRuntime<Answer>(
  command: 'call' | 'list' | 'rehearse',
  query: object,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<RuntimeResponses<Answer>> {
  // The channel carries no data: it closes when this process dies, and the child then stops.
  const child = spawn(process.execPath, [findRuntimeFile(), command], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the runtime has no standard streams');
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  // If the runtime ends before it has read everything, its exit code says so, and the error of the pipe is ignored.
  stdin.on('error', () => {}).end(JSON.stringify(query));
  const answers: Answer[] = [];
  let unread: unknown;
  const lines = createLineSplitter(line => {
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

/** Emits complete lines: the last line may be truncated. */
function createLineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
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
