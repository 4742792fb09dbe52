import { listGroupTests } from '../../analysis/cedar/asked-groups.ts';
import { listAttributeUses } from '../../analysis/cedar/attribute-uses.ts';
import { findReadablePolicies, type NamedPolicy, type PolicySet } from '../../analysis/cedar/authorization.ts';
import { formatEntityUid, isSameEntity } from '../../analysis/cedar/expression.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { listNamedEntities, unescapeText } from '../../analysis/cedar/named-entities.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import { isString, tokenize } from '../../analysis/cedar/tokens.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { TextSpan } from '../../source/locate-finding.ts';
import { isTypo } from '../../text/is-typo.ts';

/**
 * Reports groups or claims of the policies whose names differ only by a typing mistake: the compiler knows no callers, and a forbid with a
 * misspelt name forbids nothing.
 *
 * @holds incomingAuth | policies | name no two groups or claims that differ by a single typo | LNT5020
 * @for gateways, servers
 * @reads sign-in
 */
export function similarNames(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined) return [];
  return [...findSlips(listGroups(set)), ...findSlips(listClaims(set, gateway))].map(
    ({ policy, part, name, meant }) => {
      const message = `${policy.name} names ${name}, which differs from ${meant} by one typo: if it is a mistake, no caller has it`;
      const placed = { ...part, offset: policy.offset + part.offset };
      return diagnoseText(policy.source, 'LNT5020', placed, message, {
        fix: `write ${meant}, or suppress this finding with the reason that both exist`,
        ...(isShared(gateway, policy.source) ? { severity: 'hint' } : {}),
      });
    },
  );
}

/** A name and its first use in a policy. */
interface Use {
  /** The part of the text that may have the slip. */
  readonly word: string;
  readonly name: string;
  readonly policy: NamedPolicy;
  readonly part: TextSpan;
}

interface Words {
  /** In the order of the policies. */
  readonly uses: readonly Use[];
  /** Names that the spec or a standard defines, which are not typos. */
  readonly defined: ReadonlyMap<string, string>;
}

type Slip = Use & { readonly meant: string };

/**
 * Of two similar names, the one that fewer policies use is the mistake; if as many use both, the later one is. A defined name is never the
 * mistake.
 */
function findSlips({ uses, defined }: Words): readonly Slip[] {
  const byWord = [...Map.groupBy(uses, ({ word }) => word)];
  const order = new Map(byWord.map(([word, own], at) => [word, { first: own[0], count: own.length, at }]));
  const findAlike = indexAlike([...order.keys(), ...defined.keys()]);
  return [...order].flatMap(([word, { first, count, at }]) => {
    if (first === undefined || defined.has(word)) return [];
    const typos = findAlike(word).filter(other => isTypo(word, other));
    const known = typos.flatMap(other => defined.get(other) ?? []);
    const used = typos.flatMap(other => {
      const use = order.get(other);
      const isMoreUsed = use !== undefined && (use.count > count || (use.count === count && use.at < at));
      return isMoreUsed && use.first !== undefined ? [use.first.name] : [];
    });
    const [meant] = [...known, ...used];
    return meant === undefined ? [] : [{ ...first, meant }];
  });
}

/** Finds words that differ from a given word in a single letter, without comparing all of them: there may be thousands of groups. */
function indexAlike(words: readonly string[]): (word: string) => readonly string[] {
  const byKey = new Map<string, string[]>();
  for (const word of words) {
    for (const key of listKeys(word)) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, [word]);
      else known.push(word);
    }
  }
  return word => [...new Set([...listKeys(word)].flatMap(key => byKey.get(key) ?? []))];
}

/** The word, and the word without each one of its letters: words that differ in one letter, or in two swapped letters, share a key. */
function listKeys(word: string): ReadonlySet<string> {
  const letters = word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return new Set([
    letters,
    ...Array.from({ length: letters.length }, (_, at) => letters.slice(0, at) + letters.slice(at + 1)),
  ]);
}

function listGroups({ policies, entities, source: { groupType } }: PolicySet): Words {
  const uses = policies.flatMap(policy => {
    const named = listNamedEntities(policy.text);
    return listGroupTests(policy.condition, groupType).flatMap((group): Use[] => {
      const part = named.find(({ uid }) => isSameEntity(uid, group))?.part ?? WHOLE;
      return [{ word: group.id, name: formatEntityUid(group), policy, part }];
    });
  });
  const prefix = `${groupType}::`;
  const defined = [...entities.keys()].filter(key => key.startsWith(prefix));
  return { uses, defined: new Map(defined.map(key => [JSON.parse(key.slice(prefix.length)) as string, key])) };
}

/** Claims that standards define for tokens. Policies may name other claims. */
const STANDARD_CLAIMS = [
  'email',
  'email_verified',
  'name',
  'preferred_username',
  'client_id',
  'scope',
  'groups',
  'roles',
];

function listClaims({ policies }: PolicySet, { plan: { authorization } }: GatewayModel): Words {
  const uses = policies.flatMap(policy => {
    const attributes = new Set(
      listAttributeUses(policy.condition).flatMap(({ of, attr }) => (of === 'resource' ? [] : [attr])),
    );
    const claims = [...attributes].flatMap((attr): Use[] => {
      const word = CLAIM.exec(attr)?.[1];
      return word === undefined
        ? []
        : [{ word, name: `the claim ${JSON.stringify(word)}`, policy, part: findWord(policy.text, attr) }];
    });
    // A policy that reads a claim both as a set and as a text uses one claim.
    return [...Map.groupBy(claims, ({ word }) => word).values()].flatMap(([first]) => first ?? []);
  });
  const own =
    authorization.engine === 'cedar'
      ? [...authorization.groupClaims, ...(authorization.roleClaim === null ? [] : [authorization.roleClaim])]
      : [];
  return {
    uses,
    defined: new Map([...STANDARD_CLAIMS, ...own].map(claim => [claim, `the claim ${JSON.stringify(claim)}`])),
  };
}

const CLAIM = /^claim(?:set)?_(.+)$/s;

const WHOLE: TextSpan = { offset: 0, length: 0 };

/** Finds an attribute in the text of a policy, as a name or as a string. */
function findWord(text: string, attr: string): TextSpan {
  for (const token of tokenize(text)) {
    const word = isString(token) ? unescapeText(token.text) : token.text;
    if (word === attr) return { offset: token.offset, length: token.text.length };
  }
  return WHOLE;
}
