/** A challenge in the WWW-Authenticate header (RFC 9110, section 11.6.1). */

export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Values of the parameters, by name in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";

/** A parameter, or a scheme: a word without a following `=`. */
const PART = new RegExp(
  `[\\s,]*(?:(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}|[^\\s,"]+))|(${TOKEN})(?=[\\s,]|$))`,
  'gy',
);

/** All challenges of a header. Parsing stops at the first invalid one. */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  for (const [, name, quoted, plain, scheme] of header.matchAll(PART)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), params: new Map() });
    else if (name !== undefined)
      challenges.at(-1)?.params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return challenges;
}
