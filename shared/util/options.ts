/** The parts that all command lines share. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { findNearest } from './nearest.ts';

/** The command line is wrong: exit code 2. */
export class OptionError extends Error {
  readonly code = 'ERR_OPTION';
}

/** Where to listen; port 0 picks a free one. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

type Flags = NonNullable<ParseArgsConfig['options']>;

/**
 * @param main name of the option that a value without an option is probably meant for
 * @throws OptionError for an unknown option and for a value without an option, with the option that was probably meant; otherwise with Node's
 *   message, which names the option
 */
export function parseOptions<F extends Flags>(
  args: readonly string[],
  options: F,
  main?: string & keyof F,
): OptionValues<F> {
  try {
    return parseArgs({ args: [...args], allowPositionals: false, options }).values;
  } catch (error) {
    const explanation = explainUnknownOption(error, Object.keys(options)) ?? explainPositional(error, args, main);
    throw new OptionError(explanation ?? (error as Error).message, { cause: error });
  }
}

function explainPositional(error: unknown, args: readonly string[], main: string | undefined): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return undefined;
  const value = /'(.*)'/s.exec(message)?.[1] ?? '';
  const isGiven = args.some(arg => arg === `--${main}` || arg.startsWith(`--${main}=`));
  const hint = main === undefined || isGiven ? 'every value belongs to an option' : `did you mean --${main} ${value}?`;
  return `unexpected argument ${value}; ${hint}`;
}

/** Explains an unknown option. Node's own message advises to write the option as an argument, which no program here takes. */
function explainUnknownOption(error: unknown, names: readonly string[]): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  const option = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'(.+?)'/s.exec(message)?.[1] : undefined;
  if (option === undefined) return undefined;
  const near = findNearest(
    option,
    names.map(name => `--${name}`),
  );
  return `unknown option ${option}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

export type OptionValues<F extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: false; options: F }>
>['values'];

/** @throws OptionError */
export function parsePortOption(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new OptionError(`${flag} ${text}: expected a port from 0 to 65535`);
  return port;
}

/**
 * An empty host comes from an unset variable in a script. Node would listen on every address, so it is refused: that needs an explicit host.
 *
 * @throws OptionError
 */
export function parseHostOption(flag: string, text: string): string {
  if (text === '') throw new OptionError(`${flag} is empty: name an address, such as 127.0.0.1, or 0.0.0.0 for all`);
  return text;
}

/**
 * A web origin as a browser writes it in `Origin`: in lower case, without a default port and without a path.
 *
 * @throws OptionError
 */
export function originOption(flag: string, text: string): string {
  const url = URL.parse(text);
  const origin = `${url?.protocol}//${url?.host}`;
  if (url === null || url.host === '' || (url.href !== origin && url.href !== `${origin}/`))
    throw new OptionError(`${flag} ${text}: expected an origin, such as https://chat.example.com`);
  return origin;
}

/**
 * Parses an address `HOST:PORT`. An empty host stands for every address, as `:8081` does in other servers.
 *
 * @throws OptionError
 */
export function parseAddressOption(flag: string, text: string): Address {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([^:]+)$/.exec(text);
  if (match === null) throw new OptionError(`${flag} ${text}: expected HOST:PORT, with an IPv6 address in brackets`);
  const [, bracketed, plain, port = ''] = match;
  const host = bracketed ?? plain ?? '';
  return { host: host === '' ? '0.0.0.0' : host, port: parsePortOption(flag, port) };
}
