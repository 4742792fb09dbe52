import { extname } from 'node:path';
import type ts from 'typescript';
import type { SourceText } from '../../source/source-text.ts';
import { loadTypeScript, type TypeScript } from './load-typescript.ts';

/** A file of a program. */
export interface ProgramFile {
  /** Absolute path of the file. */
  readonly path: string;
  readonly source: SourceText;
}

/** A file with its syntax tree. */
export interface ParsedFile extends ProgramFile {
  readonly tree: ts.SourceFile;
}

/** The files of one program. TypeScript is loaded and files are parsed when a finding first needs them. */
export class ProgramFiles {
  readonly #getText: (file: string) => SourceText;
  readonly #near: string;
  readonly #parsed = new Map<string, ParsedFile>();
  #typescript: TypeScript | null | undefined;

  /**
   * @param getText by absolute path
   * @param near a file in whose project TypeScript is looked up
   */
  constructor(getText: (file: string) => SourceText, near: string) {
    this.#getText = getText;
    this.#near = near;
  }

  /** The TypeScript of the project, or Lintel's; undefined when none is installed. */
  get typescript(): TypeScript | undefined {
    this.#typescript ??= loadTypeScript(this.#near) ?? null;
    return this.#typescript ?? undefined;
  }

  text(path: string): SourceText {
    return this.#getText(path);
  }

  /** A file with its syntax tree; undefined when TypeScript is not installed. */
  parse(path: string): ParsedFile | undefined {
    const known = this.#parsed.get(path);
    if (known !== undefined) return known;
    const { typescript } = this;
    if (typescript === undefined) return undefined;
    const source = this.#getText(path);
    const kind = chooseKind(path, typescript);
    try {
      const tree = typescript.createSourceFile(path, source.text, typescript.ScriptTarget.Latest, true, kind);
      const parsed = { path, source, tree };
      this.#parsed.set(path, parsed);
      return parsed;
    } catch {
      // The installed TypeScript lacks the API that its version should have, so positions are found by words instead.
      this.#typescript = null;
      return undefined;
    }
  }
}

function chooseKind(path: string, { ScriptKind }: TypeScript): ts.ScriptKind {
  switch (extname(path).toLowerCase()) {
    case '.json':
      return ScriptKind.JSON;
    case '.tsx':
      return ScriptKind.TSX;
    case '.jsx':
      return ScriptKind.JSX;
    case '.js':
    case '.mjs':
    case '.cjs':
      return ScriptKind.JS;
    default:
      return ScriptKind.TS;
  }
}
