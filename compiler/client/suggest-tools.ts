/** Suggests the tool that a caller meant. */
import { findNearest } from '#shared/util';

/** Maximum number of suggested names; `lintel ls` shows all of them. */
const MOST_NAMES = 3;

/**
 * Likely names: those that contain `tool` between separators, as a gateway adds a prefix or suffix to the backend's own name. If there are none,
 * the nearest name; then names that are nearest without their prefix; then names that contain all words of `tool`.
 */
export function suggestTools(tool: string, names: readonly string[]): readonly string[] {
  const own = tool.toLowerCase();
  if (own === '') return [];
  const made = names.filter(name => isMadeOf(name.toLowerCase(), own));
  if (made.length > 0) return takeFirst(made);
  const near = findNearest(tool, names);
  if (near !== undefined) return [near];
  const part = listNearestParts(own, names);
  if (part.length > 0) return part;
  const words = splitWords(tool);
  return words.length < 2 ? [] : takeFirst(names.filter(name => includesAll(splitWords(name), words)));
}

const SEPARATORS = /[_./:-]/;

/** Whether `name` contains `own` as a whole part, between separators. */
function isMadeOf(name: string, own: string): boolean {
  for (let at = name.indexOf(own); at !== -1; at = name.indexOf(own, at + 1)) {
    const [before, behind] = [name.charAt(at - 1), name.charAt(at + own.length)];
    if ((at === 0 || SEPARATORS.test(before)) && (behind === '' || SEPARATORS.test(behind))) return true;
  }
  return false;
}

/** Lists names whose part without the prefix is similar: a misspelling of the backend's own name for the tool. */
function listNearestParts(own: string, names: readonly string[]): readonly string[] {
  const byPart = Map.groupBy(names, name => name.slice(name.search(SEPARATORS) + 1));
  const near = findNearest(own, [...byPart.keys()]);
  return near === undefined ? [] : takeFirst(byPart.get(near) ?? []);
}

/** `readFile` and `read_file` have the same words. */
function splitWords(name: string): readonly string[] {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(SEPARATORS)
    .filter(word => word !== '');
}

function includesAll(words: readonly string[], required: readonly string[]): boolean {
  return required.every(word => words.includes(word));
}

function takeFirst(names: readonly string[]): readonly string[] {
  return names.slice(0, MOST_NAMES);
}
