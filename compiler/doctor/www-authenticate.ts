/** The header by which a server asks for a token (RFC 9110, section 11.6.1). */

export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";

/** A parameter, or a scheme: a word that no `=` follows. */
const PART = new RegExp(
  `[\\s,]*(?:(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}|[^\\s,"]+))|(${TOKEN})(?=[\\s,]|$))`,
  'gy',
);

/** The challenges of a header, several in one included. What is no challenge ends the reading. */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  for (const [, name, quoted, plain, scheme] of header.matchAll(PART)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), params: new Map() });
    else if (name !== undefined)
      challenges.at(-1)?.params.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return challenges;
}
