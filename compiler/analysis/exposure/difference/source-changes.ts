/** Changes of what a source provides: its filter, and the entries that are in the bundle. */
import { fitsPattern, type RegistryFilterPlan } from '#schemas';
import type { ExposedSource, RegistryExposure } from '../registry/registry-exposure.ts';
import { filterText } from '../render/registry-sections.ts';
import { toAspects } from './aspect.ts';
import type { Aspect, Effect } from './difference.ts';
import { combineEffects } from './effect.ts';

type Side = RegistryExposure;

/**
 * A registry shows the versions of a name from the first source that has the name. So a name that appears in a source may hide versions of
 * a later source, and a name that vanishes may reveal them. Only if no later source can have the name, more is wider and less is narrower.
 */
export function diffSources(
  was: ExposedSource,
  is: ExposedSource,
  { before, after }: { readonly before: Side; readonly after: Side },
): readonly Aspect[] {
  return [...filterAspects(was, is, [before, after]), ...diffEntries(was, is, [before, after])];
}

/**
 * The effect of seeing other sources of a registry, or the same sources in another order. An entry of an earlier source hides entries of the
 * same name in later ones. A removed source therefore shows entries that it hid, and an added source hides some. Only when the sources cannot
 * have a name in common, fewer sources narrow the listing and more sources widen it.
 *
 * @param was names of sources that a caller saw, best first
 */
export function compareVisibleSources(
  was: readonly string[],
  is: readonly string[],
  { before, after }: { readonly before: Side; readonly after: Side },
): Effect {
  const [common, commonNow] = [was.filter(name => is.includes(name)), is.filter(name => was.includes(name))];
  const isHiding = (names: readonly string[], others: readonly string[], side: Side) =>
    names.some(name => {
      const behind = listNamesAfter(names, name).filter(one => others.includes(one));
      return !others.includes(name) && mayHide(side, name, behind);
    });
  if (common.join('\n') !== commonNow.join('\n') || isHiding(was, is, before) || isHiding(is, was, after))
    return 'mixed';
  return combineEffects([
    common.length < was.length ? 'narrower' : 'same',
    common.length < is.length ? 'wider' : 'same',
  ]);
}

/** Whether a source may have a name that one of the sources after it has as well. */
function mayHide({ sources }: Side, name: string, behind: readonly string[]): boolean {
  const offersOf = (source: string) => sources.find(one => one.name === source)?.offers;
  const own = offersOf(name)?.map(offer => offer.name);
  return behind.some(other => {
    const others = offersOf(other);
    return own === undefined || others === undefined || others.some(offer => own.includes(offer.name));
  });
}

/** Whether both sides have their entries in the bundle, so that filters need no comparison. */
function knowsEntries(was: ExposedSource, is: ExposedSource): boolean {
  return was.offers !== undefined && is.offers !== undefined;
}

function filterAspects(was: ExposedSource, is: ExposedSource, sides: readonly Side[]): readonly Aspect[] {
  const [old, now] = [was.filter, is.filter];
  if (old === undefined || now === undefined) return [];
  const text = (filter: RegistryFilterPlan) => filterText(filter) || 'none';
  return toAspects('filter', text(old), text(now), () => {
    // The entries in a bundle have passed the filter already.
    if (knowsEntries(was, is)) return 'same';
    const isLast = sides.every(side => listLaterSources(side, is.name).length === 0);
    return isLast ? filterEffect(old, now) : 'mixed';
  });
}

/** The effect of another filter. When tags change, another version of a name may pass, and clients that ask for the latest version get that one. */
function filterEffect(was: RegistryFilterPlan, is: RegistryFilterPlan): Effect {
  if (JSON.stringify(was.tags) !== JSON.stringify(is.tags)) return 'mixed';
  return combineEffects([
    comparePatterns(is.names.exclude, was.names.exclude),
    // Without any pattern, all names pass.
    comparePatterns(toPatternsOrAll(was.names.include), toPatternsOrAll(is.names.include)),
  ]);
}

function toPatternsOrAll(patterns: readonly string[]): readonly string[] {
  return patterns.length === 0 ? ['*'] : patterns;
}

/** The effect of other patterns. Sets of patterns where neither includes the other are not comparable. */
function comparePatterns(before: readonly string[], after: readonly string[]): Effect {
  const [keeps, keepsOut] = [isWithin(before, after), isWithin(after, before)];
  if (keeps && keepsOut) return 'same';
  if (keeps) return 'wider';
  return keepsOut ? 'narrower' : 'mixed';
}

/** Whether one list of patterns is within another. Only a `*` of the outer pattern matches a `*` of the inner one. */
function isWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every(value => outer.some(other => fitsPattern(other, value)));
}

function diffEntries(was: ExposedSource, is: ExposedSource, sides: readonly Side[]): readonly Aspect[] {
  const counts = [was, is].map(({ entries }) => (entries === null ? null : String(entries)));
  const [before = null, after = null] = counts;
  if (was.offers === undefined || is.offers === undefined) return toAspects('entries', before, after);
  const [old, now] = [was.offers, is.offers].map(offers => new Map(offers.map(({ name, digest }) => [name, digest])));
  if (old === undefined || now === undefined) return [];
  const added = [...now.keys()].filter(name => !old.has(name));
  const removed = [...old.keys()].filter(name => !now.has(name));
  const others = [...now].filter(([name, digest]) => old.has(name) && old.get(name) !== digest).map(([name]) => name);
  const isApart = sides.every(side => [...added, ...removed].every(name => !mayBeLater(side, is.name, name)));
  const ranked = combineEffects([added.length > 0 ? 'wider' : 'same', removed.length > 0 ? 'narrower' : 'same']);
  const names: Aspect = {
    name: 'entries',
    before,
    after,
    effect: isApart ? ranked : 'mixed',
    items: { added, removed },
  };
  return [
    ...(added.length + removed.length === 0 ? [] : [names]),
    ...toAspects('entries with another content', null, others.length === 0 ? null : others.join(', ')),
  ];
}

/** The sources that come after a source in a registry that has both. */
function listLaterSources({ registries, sources }: Side, name: string): readonly ExposedSource[] {
  const later = new Set(
    registries.flatMap(({ sources }) => (sources.includes(name) ? listNamesAfter(sources, name) : [])),
  );
  return sources.filter(source => later.has(source.name));
}

function listNamesAfter(names: readonly string[], name: string): readonly string[] {
  return names.slice(names.indexOf(name) + 1);
}

/** The names of a source that the running server reads are unknown. */
function mayBeLater(side: Side, source: string, entry: string): boolean {
  return listLaterSources(side, source).some(
    ({ offers }) => offers === undefined || offers.some(({ name }) => name === entry),
  );
}
