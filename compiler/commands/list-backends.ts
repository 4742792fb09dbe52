/** Asks backends through the runtime, which has the wire: what is locked is what a gateway would see. */
import { spawn } from 'node:child_process';
import type { BackendAnswer, ListQuestion } from '#schemas';
import { runtimeFile } from './serving/runtime-process.ts';

/** Ceiling on all answers together: 256 MB. */
const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;

/** Asks all backends; every one of them is in the answer, in any order. */
export async function listBackends(question: ListQuestion): Promise<readonly BackendAnswer[]> {
  if (question.backends.length === 0) return [];
  // The channel carries nothing: it closes when we die, and the child then stops.
  const child = spawn(process.execPath, [runtimeFile(), 'list'], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('the runtime has no standard streams');
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  // Whoever ends before it read everything says so by its exit code.
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
  const answers = answersIn(Buffer.concat(chunks).toString('utf8'));
  const missing = question.backends.filter(({ key }) => !answers.some(answer => answer.key === key));
  if (missing.length === 0) return answers;
  if (bytes <= MAX_ANSWER_BYTES) throw new Error(`lintel-runtime list ended with ${code}: ${complaint}`);
  const message = `the answers of all backends are larger than ${MAX_ANSWER_BYTES} bytes`;
  return [...answers, ...missing.map(({ key }) => ({ key, ok: false as const, message }))];
}

/** Whole lines only: the last one may have been cut off. */
function answersIn(text: string): BackendAnswer[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as BackendAnswer);
}
