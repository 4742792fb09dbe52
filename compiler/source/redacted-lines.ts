/** Lines that code frames must not show, because frames end up in CI logs. */
import { getMember, isObject } from '#schemas';
import type { Range } from '../diagnostics/diagnostic.ts';
import { isProgram } from './is-program.ts';
import { holdsKnownForm } from './known-credentials.ts';
import { collectSecretLines } from './secret-lines.ts';
import { listSensitiveValues } from './sensitive-values.ts';
import type { Path, SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A URL with a password in it. */
const CREDENTIALS = /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/;

/** Shorter texts occur in too many lines by chance. UTF-16 code units. */
const MIN_LITERAL_LENGTH = 4;

/** In a program, a name after the colon is not a password. */
const CODE_PASSWORD = /(?:^|[\s{,])["']?(?:\w*[pP]assword|clientSecret)["']?\s*:\s*["'`]/;

/** Plain-text secrets: their positions by file, and their values, because an alias is elsewhere than its text. */
interface Literals {
  readonly lines: ReadonlyMap<string, ReadonlySet<number>>;
  readonly texts: ReadonlyMap<string, ReadonlySet<string>>;
  /** The texts of programs: a secret may be composed from any of their files. */
  readonly programTexts: ReadonlySet<string>;
}

const known = new WeakMap<readonly SourceDocument[], Literals>();

/**
 * Whether a 1-based line is part of a Secret, or contains a plain-text secret or a password in a URL.
 *
 * @param documents all parsed documents
 */
export function isRedacted(documents: readonly SourceDocument[], source: SourceText, line: number): boolean {
  const text = source.line(line)?.text ?? '';
  if (CREDENTIALS.test(text) || holdsKnownForm(text)) return true;
  const isCode = isProgram(source.file);
  if (isCode ? CODE_PASSWORD.test(text) : collectSecretLines(source).has(line)) return true;
  const { lines, texts, programTexts } = getLiterals(documents);
  if (lines.get(source.file)?.has(line) === true) return true;
  const secrets = isCode ? programTexts : texts.get(source.file);
  return secrets !== undefined && [...secrets].some(secret => text.includes(secret));
}

function getLiterals(documents: readonly SourceDocument[]): Literals {
  const cached = known.get(documents);
  if (cached) return cached;
  const lines = new Map<string, Set<number>>();
  const texts = new Map<string, Set<string>>();
  const programTexts = new Set<string>();
  const withhold = (file: string, { start, end }: Range): void => {
    const own = lines.get(file) ?? new Set();
    lines.set(file, own);
    for (let line = start.line; line <= end.line; line += 1) own.add(line);
  };
  for (const document of documents) {
    const { file, value, program } = document;
    for (const path of listSecretPaths(document)) {
      withhold(file, document.locate(path, 'value'));
      const callLocation = program?.locate(path, 'value');
      if (callLocation !== undefined) withhold(callLocation.source.file, callLocation.range);
      const text = getTextAt(value, path);
      if (text.length < MIN_LITERAL_LENGTH) continue;
      const own = texts.get(file) ?? new Set();
      texts.set(file, own.add(text));
      if (program !== undefined) programTexts.add(text);
    }
  }
  const found = { lines, texts, programTexts };
  known.set(documents, found);
  return found;
}

/** In files, a Secret is hidden as a whole; in programs it is recognized by its values. */
function listSecretPaths({ value, program }: SourceDocument): readonly Path[] {
  const kind = getMember(value, 'kind');
  if (typeof kind !== 'string') return [];
  if (kind !== 'Secret' || program === undefined)
    return listSensitiveValues(kind, getMember(value, 'spec')).map(({ path }) => path);
  return ['data', 'stringData'].flatMap(field => {
    const members = getMember(value, field);
    return isObject(members) ? Object.keys(members).map(key => [field, key]) : [];
  });
}

function getTextAt(value: unknown, path: Path): string {
  return String(path.reduce((holder, step) => (holder as Record<string | number, unknown>)[step], value));
}
