/** Decides which program arguments may appear in a spec. Specs are committed, so an argument that may be a secret becomes a reference. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { mayNameSecret } from '../source/secret-name.ts';
import { isHarmless } from '../starter/harmless.ts';
import { looksLikeKey } from '../starter/url-secret.ts';

/** An argument in a spec, with the variable that it refers to. */
export interface CarriedArgument {
  /** `$(NAME)` where it refers to a variable. */
  readonly text: string;
  readonly variable: { readonly name: string; readonly value: string } | undefined;
}

/** The option value that allows all arguments. */
export const PLAIN_ARGUMENTS = 'args';

/** `--api-key`, `-y`: flags of plain words. */
const FLAG = /^--?[a-z]+(?:-[a-z]+)*$/i;

/** Words of names, paths and versions, in lower case or capitalized, or numbers. */
const WORD = /^(?:[A-Z]?[a-z]+|[a-z]+\d{1,3}|v?\d{1,5})$/;

/** Prefixes of tokens of large services; what follows may look like words. */
const TOKEN = /(?<![A-Za-z])(?:gh[oprsu]_|github_pat_|glpat-|hf_|npm_|sk-|sk_|xox[a-z]-|AKIA|eyJ)/;

const SEPARATORS = /[@/._~:,\\ -]+/;

/** @param taken variable names that the program already uses */
export function carryArguments(
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
    const variable = `ARG_${words === '' || words.length > 40 ? position + 1 : words}`;
    const free = names.has(variable) ? `${variable}_${position + 1}` : variable;
    names.add(free);
    return free;
  };
  return args.map((arg, position): CarriedArgument => {
    const before = args[position - 1] ?? '';
    const flag = FLAG.test(before) ? before : '';
    // `taken`: an argument that is only the name of a variable is no secret, such as NAME in `docker run -e NAME`.
    if (plain.has(PLAIN_ARGUMENTS) || taken.has(arg) || (!mayNameSecret(flag) && isPlainText(arg, plain)))
      return { text: escapeArgument(arg), variable: undefined };
    const [, name = '', value = ''] = /^(--?[A-Za-z][A-Za-z-]*|[A-Z_][A-Z0-9_]*)=(.*)$/s.exec(arg) ?? [];
    // The text before `=` may be shown if it consists of words, as names of flags and variables do. Random letters may be a secret.
    if (name !== '' && name.split(/[-_]+/).every(word => word === '' || WORD.test(word.toLowerCase()))) {
      if (!mayNameSecret(name) && isPlainText(value, plain)) return { text: escapeArgument(arg), variable: undefined };
      if (isShownName(name)) {
        const variable = { name: named(name, position), value };
        return { text: `${name}=$(${variable.name})`, variable };
      }
    }
    const variable = { name: named(isShownName(flag) ? flag : '', position), value: arg };
    return { text: `$(${variable.name})`, variable };
  });
}

/** A path of ordinary words, ignoring folders that exist on this machine. */
export function isPlainPath(text: string): boolean {
  return /^(?:~|\.{0,2})\/|^[A-Za-z]:[\\/]/.test(text) && isPlainText(text.replace(/^~/, ''), new Set());
}

const URL_TEXT = /^[a-z][a-z\d+.-]*:\/\/[^\s$\\{}]+$/i;

/** For a webhook URL, the path itself is the credential, however short it is. */
export function isHook(text: string): boolean {
  return /hooks?(?![a-z])/i.test(text);
}

/** Query parameters that are credentials although their names do not say so. */
const CREDENTIAL = /^(?:code|hash|k|sas|session|sid|sig|ticket|user|username)$|signature/i;

/** Schemes of URLs whose host is a DNS name, which is not secret. */
const WITH_HOSTS = new Set(['http:', 'https:', 'ws:', 'wss:']);

/**
 * A URL without credentials: no user or password, and nothing in its path or query that may be a key.
 *
 * @param plain names of query parameters, or `path`, that the operator declared not to be secret
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

/** Variables that conventionally contain one of a few words. */
const SETTING = /(?:^|_)(?:LOG_?LEVEL|LOG_?FORMAT|NODE_ENV|REGION|LOCALE|LANG|TZ|TIME_?ZONE|TRANSPORT)$/;

/** `LOG_LEVEL` and similar variables. */
export function isPlainSetting(name: string, value: string): boolean {
  return SETTING.test(name) && value.length <= 32 && !TOKEN.test(value) && isOfWords(value);
}

function isOfWords(text: string): boolean {
  return isHarmless(text) || text.split(SEPARATORS).every(word => word === '' || WORD.test(word));
}

/**
 * The part of a path that does not exist on this machine. A folder's name may look like a key (`/home/ada/x9Kq2-clone`), but a key is never a
 * folder.
 */
function formatUnknownPart(text: string): string {
  const path = text.replace(/^~(?=\/)/, homedir());
  if (!isAbsolute(path)) return text;
  let known = path;
  while (!existsSync(known)) known = dirname(known);
  return path.slice(known.length);
}

/** `C:\\` or `C:/`. */
const DRIVE = /^[A-Za-z]:(?=[\\/])/;

/** The digest of an image is not secret: every client that may pull the image can compute it. */
const DIGEST = /@sha256:[0-9a-f]{64}$/;

function isPlainText(argumentText: string, plain: ReadonlySet<string>): boolean {
  const text = argumentText.replace(DIGEST, '').replace(DRIVE, '');
  if (text === '' || isHarmless(text)) return true;
  if (TOKEN.test(text)) return false;
  if (text.includes('://')) return isPlainUrl(text, plain);
  return FLAG.test(text) ? isShownName(text) : isOfWords(formatUnknownPart(text));
}

/** Whether a name consists of lower-case words, like a flag, or of capitals, like a variable. */
function isShownName(name: string): boolean {
  return (
    /^-{0,2}(?:[a-z]{1,16}(?:-[a-z]{1,16}){0,4}|[A-Z])$/.test(name) || /^[A-Z]{2,16}(?:_[A-Z]{1,16}){0,5}$/.test(name)
  );
}

/** A dollar before a parenthesis would start a reference. */
function escapeArgument(arg: string): string {
  return arg.replaceAll('$(', '$$$$(');
}
