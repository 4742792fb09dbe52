/** Which arguments of a program may stand in a spec. They are committed, so one that may hold a secret becomes a reference. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { mayNameSecret } from '../source/secret-name.ts';
import { isHarmless } from '../starter/harmless.ts';
import { looksLikeKey } from '../starter/url-secret.ts';

/** An argument as it stands in a spec, and what it refers to. */
export interface CarriedArgument {
  /** `$(NAME)` where it refers to a variable. */
  readonly text: string;
  readonly variable: { readonly name: string; readonly value: string } | undefined;
}

/** The word that lets all arguments stand as they are. */
export const PLAIN_ARGUMENTS = 'args';

/** `--api-key`, `-y`: nothing but words. */
const FLAG = /^--?[a-z]+(?:-[a-z]+)*$/i;

/** Words of names, paths and versions, each in small letters or with a capital first, or a number. */
const WORD = /^(?:[A-Z]?[a-z]+|[a-z]+\d{1,3}|v?\d{1,5})$/;

/** How tokens of large services begin, whatever follows: words as well. */
const TOKEN = /(?<![A-Za-z])(?:gh[oprsu]_|github_pat_|glpat-|hf_|npm_|sk-|sk_|xox[a-z]-|AKIA|eyJ)/;

const SEPARATORS = /[@/._~:,\\ -]+/;

/** @param taken names of variables that the program has already */
export function carriedArguments(
  args: readonly string[],
  plain: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): readonly CarriedArgument[] {
  const names = new Set(taken);
  const named = (hint: string, position: number): string => {
    const words = hint
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '');
    const wanted = `ARG_${words === '' || words.length > 40 ? position + 1 : words}`;
    const free = names.has(wanted) ? `${wanted}_${position + 1}` : wanted;
    names.add(free);
    return free;
  };
  return args.map((arg, position): CarriedArgument => {
    const before = args[position - 1] ?? '';
    const flag = FLAG.test(before) ? before : '';
    // `docker run -e NAME` hands a variable on.
    if (plain.has(PLAIN_ARGUMENTS) || taken.has(arg) || (!mayNameSecret(flag) && isPlainText(arg, plain)))
      return { text: escaped(arg), variable: undefined };
    const [, name = '', value = ''] = /^(--?[A-Za-z][A-Za-z-]*|[A-Z_][A-Z0-9_]*)=(.*)$/s.exec(arg) ?? [];
    // The name of a flag or variable may be shown, if it is one: random letters are none.
    if (name !== '' && name.split(/[-_]+/).every(word => word === '' || WORD.test(word.toLowerCase()))) {
      if (!mayNameSecret(name) && isPlainText(value, plain)) return { text: escaped(arg), variable: undefined };
      if (isShownName(name)) {
        const variable = { name: named(name, position), value };
        return { text: `${name}=$(${variable.name})`, variable };
      }
    }
    const variable = { name: named(isShownName(flag) ? flag : '', position), value: arg };
    return { text: `$(${variable.name})`, variable };
  });
}

/** A path whose parts are words, as people name folders and files, but for the folders that this machine has. */
export function isPlainPath(text: string): boolean {
  return /^(?:~|\.{0,2})\/|^[A-Za-z]:[\\/]/.test(text) && isPlainText(text.replace(/^~/, ''), new Set());
}

const URL_TEXT = /^[a-z][a-z\d+.-]*:\/\/[^\s$\\{}]+$/i;

/** The path of such a URL, or of one in such a variable, is what lets its sender in, however short it is. */
export function isHook(text: string): boolean {
  return /hooks?(?![a-z])/i.test(text);
}

/** Names of query parameters that are credentials, besides those that say so. */
const CREDENTIAL = /^(?:code|hash|k|sas|session|sid|sig|ticket|user|username)$|signature/i;

/** Their hosts are names in the DNS, which are no secrets. */
const WITH_HOSTS = new Set(['http:', 'https:', 'ws:', 'wss:']);

/**
 * A URL that carries no credentials: no name or password, and nothing in its path or query that may be a key.
 *
 * @param plain names of query parameters that a person says are no secrets, and `path`
 */
export function isPlainUrl(text: string, plain: ReadonlySet<string>): boolean {
  const url = URL_TEXT.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#') || TOKEN.test(text))
    return false;
  const isPlainQuery = [...url.searchParams].every(
    ([name, value]) =>
      plain.has(name) || (value !== '' && !mayNameSecret(`--${name}`) && !CREDENTIAL.test(name) && isOfWords(value)),
  );
  const parts = [...url.pathname.split('/'), ...(WITH_HOSTS.has(url.protocol) ? [] : url.hostname.split('.'))];
  return isPlainQuery && (plain.has('path') || (!isHook(text) && !parts.some(looksLikeKey)));
}

/** Names of variables that by custom hold a word out of a few. */
const SETTING = /(?:^|_)(?:LOG_?LEVEL|LOG_?FORMAT|NODE_ENV|REGION|LOCALE|LANG|TZ|TIME_?ZONE|TRANSPORT)$/;

/** `LOG_LEVEL` and the like. */
export function isPlainSetting(name: string, value: string): boolean {
  return SETTING.test(name) && value.length <= 32 && !TOKEN.test(value) && isOfWords(value);
}

function isOfWords(text: string): boolean {
  return isHarmless(text) || text.split(SEPARATORS).every(word => word === '' || WORD.test(word));
}

/** What of a path this machine does not have. Names of folders may look like keys (`/home/ada/x9Kq2-clone`); no key is a folder. */
function unknownPart(text: string): string {
  const path = text.replace(/^~(?=\/)/, homedir());
  if (!isAbsolute(path)) return text;
  let known = path;
  while (!existsSync(known)) known = dirname(known);
  return path.slice(known.length);
}

/** The digest of an image is no secret: every client that may pull the image can compute it. */
const DIGEST = /@sha256:[0-9a-f]{64}$/;

function isPlainText(given: string, plain: ReadonlySet<string>): boolean {
  const text = given.replace(DIGEST, '');
  if (text === '' || isHarmless(text)) return true;
  if (TOKEN.test(text)) return false;
  if (text.includes('://')) return isPlainUrl(text, plain);
  return FLAG.test(text) ? isShownName(text) : isOfWords(unknownPart(text));
}

/** Whether a name consists of small words, as flags do, or of capitals, as variables do. */
function isShownName(name: string): boolean {
  return (
    /^-{0,2}(?:[a-z]{1,16}(?:-[a-z]{1,16}){0,4}|[A-Z])$/.test(name) || /^[A-Z]{2,16}(?:_[A-Z]{1,16}){0,5}$/.test(name)
  );
}

/** A dollar before a parenthesis would begin a reference. */
function escaped(arg: string): string {
  return arg.replaceAll('$(', '$$$$(');
}
