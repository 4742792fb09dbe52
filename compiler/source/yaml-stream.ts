import { Composer, type Document, Lexer, Parser, type YAMLParseError } from 'yaml';
import { MAX_DEPTH, MAX_DOCUMENTS_PER_FILE, MAX_LEXEMES_PER_FILE, MAX_SYNTAX_ERRORS_PER_FILE } from './limits.ts';

/** The documents of a text as the library parsed them, and what kept it from going on. */
export type YamlStream = {
  readonly documents: readonly Document.Parsed[];
  /** Errors outside of any document. */
  readonly errors: readonly YAMLParseError[];
  /** A limit that was passed: nothing after the UTF-16 offset was read. */
  readonly stopped?: { readonly message: string; readonly offset: number };
};

/** Plain YAML 1.2, even below a `%YAML 1.1`. Keys are checked and merged, and aliases followed, by our own code. */
const OPTIONS = {
  schema: 'core',
  version: '1.2',
  stringKeys: true,
  merge: false,
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** What the parser keeps open besides collections: the document and a scalar. */
const NOT_COLLECTIONS = 2;

/** Thrown through the library to stop it; see {@link countErrors}. */
class TooManyErrors extends Error {}

/**
 * Parses a text token by token, so that a hostile one is left before it has cost much: the library's parser is quick
 * with deep nesting, its composer recurses.
 */
export function parseYamlStream(text: string): YamlStream {
  const parser = new Parser();
  const composer: Composer = new Composer(OPTIONS);
  const documents: Document.Parsed[] = [];
  const errors = countErrors(composer);
  const compose = (tokens: Iterable<Parameters<Composer['next']>[0]>): void => {
    for (const token of tokens) {
      if (token.type === 'error') errors.add();
      documents.push(...composer.next(token));
    }
  };
  const finish = (stopped?: string): YamlStream => {
    // Taken out first: the composer would blame the document before them.
    const stray = composer.streamInfo().errors.splice(0);
    documents.push(...composer.end());
    const isFull = documents.length > MAX_DOCUMENTS_PER_FILE;
    const message = stopped ?? (isFull ? `the file has more than ${MAX_DOCUMENTS_PER_FILE} documents` : undefined);
    const result = { documents: documents.slice(0, MAX_DOCUMENTS_PER_FILE), errors: stray };
    return message === undefined ? result : { ...result, stopped: { message, offset: parser.offset } };
  };
  let lexemes = 0;
  try {
    for (const lexeme of new Lexer().lex(text)) {
      lexemes += 1;
      if (lexemes > MAX_LEXEMES_PER_FILE)
        return finish(`the file has more than ${MAX_LEXEMES_PER_FILE} words, signs and line breaks`);
      compose(parser.next(lexeme));
      if (parser.stack.length > MAX_DEPTH + NOT_COLLECTIONS)
        return finish(`values are nested more than ${MAX_DEPTH} levels deep`);
      // The last one is still with the composer.
      if (documents.length >= MAX_DOCUMENTS_PER_FILE) return finish();
    }
    compose(parser.end());
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return finish(`the file has more than ${MAX_SYNTAX_ERRORS_PER_FILE} syntax errors`);
  }
  return finish();
}

/**
 * Makes the composer throw when it meets too many errors. It has no option for that and would build one `Error` a
 * character for a file of commas. The member is private; the tests of the limit fail if a new version renames it.
 */
function countErrors(composer: Composer): { add(): void } {
  let found = 0;
  const add = (): void => {
    found += 1;
    if (found > MAX_SYNTAX_ERRORS_PER_FILE) throw new TooManyErrors();
  };
  // biome-ignore lint/complexity/useLiteralKeys: only the bracket form reaches a private member
  const report = composer['onError'] as (...args: unknown[]) => void;
  // biome-ignore lint/complexity/useLiteralKeys: as above
  composer['onError'] = (...args: unknown[]): void => {
    const isWarning = args[3] === true;
    if (!isWarning) add();
    report(...args);
  };
  return { add };
}
