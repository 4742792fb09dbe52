/** Describes callers for whom some facts hold and other facts do not. */
import type { CallerReading } from '../difference.ts';
import type { Fact, KnownFact } from './facts.ts';

/** Maximum length of a displayed fact, in UTF-16 code units. */
const MAX_TEXT = 200;

/** Facts about the tool, prompt or resource. */
const OF_ITEM = /^(?:resource\b|own name of )/;

/**
 * The text of a product, such as `principal in Group::"eng" && context.arg_amount > 10, unless principal in Group::"interns"`.
 *
 * @returns the parts about the caller and about the item as well, when there is a part about the item
 */
export function formatProduct(
  asked: readonly KnownFact[],
  excepted: readonly KnownFact[],
): { readonly text: string; readonly reading: CallerReading | undefined } {
  const { texts, exceptions } = simplify(asked, excepted);
  const text = formatCondition(texts, exceptions, 'everyone');
  const ofItem = (all: readonly string[]) => all.filter(value => OF_ITEM.test(value));
  const ofCaller = (all: readonly string[]) => all.filter(value => !OF_ITEM.test(value));
  const which = formatCondition(ofItem(texts), ofItem(exceptions), '');
  if (which === '') return { text, reading: undefined };
  return { text, reading: { who: formatCondition(ofCaller(texts), ofCaller(exceptions), 'everyone'), which } };
}

/** Leaves out what other facts of the product imply. */
function simplify(asked: readonly KnownFact[], excepted: readonly KnownFact[]) {
  const longs = new Set(asked.flatMap(({ fact }) => (isLong(fact) ? [fact.term] : [])));
  const isAtLeast = ({ fact }: KnownFact) => fact.kind === 'below' && longs.has(fact.term);
  const literals = [...asked, ...excepted.filter(isAtLeast).map(negate)];
  const isImplied = (known: KnownFact) => literals.some(other => other !== known && implies(other, known));
  const texts = literals.filter(known => !isImplied(known)).map(({ text }) => text);
  const isEvaluated = (text: string) => literals.some(known => text === `${known.text} cannot be evaluated`);
  const exceptions = excepted.filter(known => !isAtLeast(known) && !isEvaluated(known.text)).map(({ text }) => text);
  return { texts: texts.map(cut), exceptions: exceptions.map(cut) };
}

function isLong(fact: Fact): fact is Extract<Fact, { readonly kind: 'type' | 'below' }> {
  return fact.kind === 'below' || (fact.kind === 'type' && fact.type === 'long');
}

/** Negates "an integer is below a bound". */
function negate({ text, fact }: KnownFact): KnownFact {
  return { text: text.replace(/ <(=?) (-?\d+)$/, (_, equal, bound) => ` ${equal === '' ? '>=' : '>'} ${bound}`), fact };
}

/** A fact about the value of a term implies that the term exists; a fact with a value also implies its type. */
function implies(one: KnownFact, other: KnownFact): boolean {
  if (other.fact.kind === 'has')
    return one.fact.kind === 'other' ? isAtStart(other.fact.term, one.text) : isAbout(one, other.fact.term);
  if (other.fact.kind === 'type' && other.fact.type === 'set' && one.text.startsWith(`${other.fact.term}.contains(`))
    return true;
  if (other.fact.kind !== 'type' || !('term' in one.fact) || one.fact.term !== other.fact.term) return false;
  return one.fact.kind === 'equals' || one.fact.kind === 'like' || one.fact.kind === 'below';
}

/** Whether a text begins with a term, and not with a longer name. */
function isAtStart(term: string, text: string): boolean {
  return text.startsWith(term) && !/^\w/.test(text.slice(term.length));
}

/** Whether a fact is about a term or an attribute of it. */
function isAbout({ fact }: KnownFact, term: string): boolean {
  return 'term' in fact && (fact.term === term || fact.term.startsWith(`${term}.`) || fact.term.startsWith(`${term}[`));
}

function formatCondition(asked: readonly string[], excepted: readonly string[], nothing: string): string {
  const who = asked.length === 0 ? nothing : asked.join(' && ');
  if (excepted.length === 0) return who;
  return who === '' ? `not (${excepted.join(' || ')})` : `${who}, unless ${excepted.join(' || ')}`;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
