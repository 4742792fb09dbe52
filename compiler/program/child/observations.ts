import type { Note } from './exchange.ts';
import { captureStack, parseBundleFrames } from './frames.ts';

const OWN_FOLDER = new URL('.', import.meta.url).href;

/** Maximum number of recorded notes of one type: a loop may produce millions. */
const MAX_NOTES_PER_TYPE = 50;

const notes: Note[] = [];
const counts = new Map<Note['type'], number>();
const seen = new Set<string>();

/** Records an action of the program with its position; once per position. */
export function note(type: Note['type'], what: string): void {
  const count = counts.get(type) ?? 0;
  if (count >= MAX_NOTES_PER_TYPE) return;
  const stack = captureStack();
  const frames = parseBundleFrames(stack);
  const [first] = frames;
  const key = JSON.stringify([type, what, first]);
  if (seen.has(key)) return;
  seen.add(key);
  counts.set(type, count + 1);
  notes.push({ type, what, frames, isDirect: isDirect(stack) });
}

/** Whether the program itself made the call, rather than Node on its behalf, as when `console.log` reads variables. */
function isDirect(stack: string): boolean {
  const caller = stack
    .split('\n')
    .find(line => /^\s+at /.test(line) && !line.includes(OWN_FOLDER) && !line.includes('<anonymous>'));
  return caller !== undefined && parseBundleFrames(caller).length > 0;
}

export function getNotes(): readonly Note[] {
  return notes;
}
