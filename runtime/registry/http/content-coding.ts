/** Selects the content coding for a client (RFC 9110, section 12.5.3). */

export type Coding = 'br' | 'gzip' | 'identity';

/** The supported codings, best first: of codings with equal weight, the first is used. */
const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];

export interface AcceptedCodings {
  /** Undefined when the client accepts none of the supported codings. */
  readonly best: Coding | undefined;
  readonly acceptsPlain: boolean;
}

const PLAIN: AcceptedCodings = { best: 'identity', acceptsPlain: true };

/** Maximum number and length of headers whose parsed form is cached: clients send only a few different headers, and short ones. */
const MAX_KNOWN = 64;
const MAX_KNOWN_LENGTH = 128;
const known = new Map<string, AcceptedCodings>();

/** @param header `Accept-Encoding`; without it, no coding is used */
export function parseAcceptedCodings(header: string | undefined): AcceptedCodings {
  if (header === undefined) return PLAIN;
  const previous = known.get(header);
  if (previous !== undefined) return previous;
  const read = readCodings(header);
  if (known.size < MAX_KNOWN && header.length <= MAX_KNOWN_LENGTH) known.set(header, read);
  return read;
}

function readCodings(header: string): AcceptedCodings {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [, coding, weight] = ELEMENT.exec(part) ?? [];
    if (coding !== undefined)
      weights.set(PLAIN_NAMES.get(coding.toLowerCase()) ?? coding.toLowerCase(), Number(weight ?? 1));
  }
  const getWeight = (coding: Coding): number => {
    const own = weights.get(coding);
    if (own !== undefined) return own;
    const any = weights.get('*');
    // Clients need not name the identity coding; unless it is excluded, it applies when no other coding does.
    if (coding === 'identity') return any === 0 ? 0 : Number.MIN_VALUE;
    return any ?? 0;
  };
  const usable = CODINGS.filter(coding => getWeight(coding) > 0);
  const best = usable.toSorted((a, b) => getWeight(b) - getWeight(a))[0];
  return { best, acceptsPlain: getWeight('identity') > 0 };
}

/** A coding with its weight. Text in any other form is ignored. */
const ELEMENT = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/;

/** RFC 9110, section 8.4.1.3. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);
