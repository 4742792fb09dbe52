/** No two places of the rooms share ten lines of logic. Comments, blank lines, lone punctuation and imports are ignored. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const LEAST_LINES = 10;

const ROOMS = '{schemas,compiler,runtime,bridge,controller,shared,testing}/**/*.ts';

/** Pairs of files that may share lines, each with the reason. A pair that no longer shares any must be removed. */
const ACCEPTED: Readonly<Record<string, string>> = {};

interface Line {
  readonly text: string;
  readonly at: number;
}

test('no ten lines of code in a row occur twice in the source files', () => {
  const files = globSync(ROOMS, { cwd: ROOT, exclude: path => path.includes('generated') });
  expect(files.length).toBeGreaterThan(1_000);
  /** The first place of each run of lines. */
  const first = new Map<string, { readonly file: string; readonly index: number; readonly at: number }>();
  const shared = new Map<string, string>();
  for (const file of files.sort()) {
    const lines = countedLines(readFileSync(join(ROOT, file), 'utf8'));
    for (let index = 0; index + LEAST_LINES <= lines.length; index++) {
      const run = lines.slice(index, index + LEAST_LINES);
      const key = run.map(({ text }) => text).join('\n');
      const at = run[0]?.at ?? 0;
      const other = first.get(key);
      if (other === undefined) first.set(key, { file, index, at });
      else if (other.file !== file || index - other.index >= LEAST_LINES) {
        const pair = `${other.file} ~ ${file}`;
        if (!shared.has(pair)) shared.set(pair, `${other.file}:${other.at} ~ ${file}:${at}`);
      }
    }
  }
  const found = [...shared].filter(([pair]) => ACCEPTED[pair] === undefined).map(([, places]) => places);
  expect(found).toEqual([]);
  expect(Object.keys(ACCEPTED).filter(pair => !shared.has(pair))).toEqual([]);
});

function countedLines(source: string): Line[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ''))
    .replace(/^(?:import|export)\b[^;'"]*from '[^']*';$/gm, statement => statement.replace(/[^\n]/g, ''));
  return code.split('\n').flatMap((text, index) => {
    const line = text.replace(/(^|\s)\/\/.*$/, '').trim();
    return /\w/.test(line) ? [{ text: line, at: index + 1 }] : [];
  });
}
