/** TypeScript over a program, in a process of its own. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { endTogether } from './end-together.ts';
import { peerFile } from './peers.ts';
import type { ProgramTexts } from './program-texts.ts';

/** One of TypeScript's diagnostics of category error. */
export interface TypeMistake {
  readonly code: number;
  readonly message: string;
  /** Absolute; undefined for what is about the configuration. */
  readonly file?: string;
  /** In UTF-16 code units. */
  readonly start: number;
  readonly length: number;
}

export interface TypeCheck {
  readonly found: Promise<readonly Diagnostic[]>;
  /** Nobody wants to know any more. */
  cancel(): void;
}

const ENTRY = import.meta.url.endsWith('.ts') ? './types-process.ts' : './lintel-program-types.js';

/** Type errors of a program that are shown; one mistake brings many. */
const MAX_SHOWN = 50;

/** @param entry absolute */
export function checkTypes(entry: string, texts: ProgramTexts): TypeCheck {
  const typescript = peerFile('typescript', dirname(entry));
  if (typescript === undefined) {
    const hint = diagnostic('LNT1075', texts.placeOfEntry(), 'typescript is not installed, so types were not checked');
    return { found: Promise.resolve([hint]), cancel: () => {} };
  }
  const main = fileURLToPath(new URL(ENTRY, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', main, typescript, entry], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endTogether(child);
  let isCancelled = false;
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', chunk => stdout.push(chunk));
  child.stderr.on('data', chunk => stderr.push(chunk));
  const found = new Promise<readonly Diagnostic[]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      if (isCancelled) return resolve([]);
      if (code !== 0) {
        const message = `typescript failed: ${Buffer.concat(stderr).toString().trim().split('\n').at(0) ?? ''}`;
        return resolve([
          diagnostic('LNT1075', texts.placeOfEntry(), message, { help: 'Look at the version of typescript' }),
        ]);
      }
      const mistakes = JSON.parse(Buffer.concat(stdout).toString()) as readonly TypeMistake[];
      return resolve(mistakes.slice(0, MAX_SHOWN).map(mistake => findingOf(mistake, texts)));
    });
  });
  return {
    found,
    cancel: () => {
      isCancelled = true;
      child.kill('SIGKILL');
    },
  };
}

function findingOf({ code, message, file, start, length }: TypeMistake, texts: ProgramTexts): Diagnostic {
  const text = `${message.trim().replace(/\.$/, '')} (TS${code})`;
  if (file === undefined) return diagnostic('LNT1072', texts.placeOfEntry(), text);
  const source = texts.textOf(file);
  const place = { file: source.file, pointer: '', range: source.range(start, start + length) };
  return diagnostic('LNT1072', place, text);
}
