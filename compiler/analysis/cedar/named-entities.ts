import type { EntityUid } from '#shared/plan';
import type { TextSpan } from '../../source/locate-finding.ts';
import { isString, type Token, tokenize } from './tokens.ts';

export interface NamedEntity {
  readonly uid: EntityUid;
  readonly part: TextSpan;
}

const IDENTIFIER = /^[A-Za-z_]/;

/** The entities that a policy mentions, such as `Tool::"search"`, in textual order. */
export function listNamedEntities(policy: string): readonly NamedEntity[] {
  const found: NamedEntity[] = [];
  /** The tokens of the type read so far: `A`, `::`, `B`, `::`. */
  let type: Token[] = [];
  for (const token of tokenize(policy)) {
    const { text, offset } = token;
    const isAfterColons = type.at(-1)?.text === '::';
    const [first] = type;
    if (isString(token) && isAfterColons && first !== undefined) {
      const uid = {
        type: type
          .map(part => part.text)
          .join('')
          .slice(0, -2),
        id: unescapeText(text),
      };
      found.push({ uid, part: { offset: first.offset, length: offset + text.length - first.offset } });
    }
    if (text === '::' && first !== undefined && !isAfterColons) type.push(token);
    else if (!IDENTIFIER.test(text)) type = [];
    else if (isAfterColons) type.push(token);
    else type = [token];
  }
  return found;
}

const SINGLE: ReadonlyMap<string, string> = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', '0': '\0' }));

/** The value of a Cedar string literal. */
export function unescapeText(escaped: string): string {
  return escaped
    .slice(1, -1)
    .replace(/\\(?:u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, code, byte, single) =>
      single === undefined ? String.fromCodePoint(Number.parseInt(code ?? byte, 16)) : (SINGLE.get(single) ?? single),
    );
}
