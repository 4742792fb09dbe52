import { Composer, type Document, Lexer, Parser, type YAMLParseError } from 'yaml';
import { MAX_DEPTH, MAX_DOCUMENTS_PER_FILE, MAX_LEXEMES_PER_FILE, MAX_SYNTAX_ERRORS_PER_FILE } from './limits.ts';

/** The parsed documents of a text, and why parsing stopped early. */
export type YamlStream = {
  readonly documents: readonly Document.Parsed[];
  /** Errors outside of all documents. */
  readonly errors: readonly YAMLParseError[];
  /** An exceeded limit: nothing after this UTF-16 offset was read. */
  readonly stopped?: { readonly message: string; readonly offset: number };
};

/** YAML 1.2, even below a `%YAML 1.1` directive. Lintel's own code checks and merges keys, and follows aliases. */
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

/** Open parser states besides collections: the document and a scalar. */
const NOT_COLLECTIONS = 2;

/** Thrown through the library to stop parsing; see {@link countErrors}. */
class TooManyErrors extends Error {}

/**
 * Parses token by token, so that a hostile text is abandoned early: the library's parser handles deep nesting quickly, but its composer
 * recurses.
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
    // Errors behind the last document are taken out before `end()`, which would add them to that document.
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
      // The composer still holds the last document.
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
 * Makes the composer throw when it meets too many errors. It has no option for that, and would create one `Error` per character for a file of
 * commas. The patched member is private; the tests of the limit fail if a new version renames it.
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
