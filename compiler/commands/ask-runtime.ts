/** Asks `lintel-runtime` over its standard streams: it has the wire and the engine of workflows. */
import { spawn } from 'node:child_process';
import { runtimeFile } from './serving/runtime-process.ts';

/** Ceiling on all answers together: 256 MB. */
export const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;

export interface RuntimeAnswers<Answer> {
  /** One for each whole line: the last one may have been cut off. */
  readonly answers: readonly Answer[];
  readonly isTooLarge: boolean;
  /** Why there may be fewer than expected, for a report. */
  readonly ended: string;
}

/** @param question goes to standard input, since it may carry credentials */
export async function askRuntime<Answer>(
  command: 'call' | 'list' | 'rehearse',
  question: object,
): Promise<RuntimeAnswers<Answer>> {
  // The channel carries nothing: it closes when we die, and the child then stops.
  const child = spawn(process.execPath, [runtimeFile(), command], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the runtime has no standard streams');
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  // A runtime that ends before it read everything reports that by its exit code.
  stdin.on('error', () => {}).end(JSON.stringify(question));
  const chunks: Buffer[] = [];
  let bytes = 0;
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  let complaint = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 2_000);
  });
  const code = await ended;
  const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1);
  return {
    answers: lines.map(line => JSON.parse(line) as Answer),
    isTooLarge: bytes > MAX_ANSWER_BYTES,
    ended: `lintel-runtime ${command} ended with ${code}: ${complaint}`,
  };
}
