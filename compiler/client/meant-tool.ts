/** Which tool a caller meant. */
import { nearest } from '../text/nearest.ts';

/** Names that are shown; `lintel ls` shows all of them. */
const MOST_NAMES = 3;

/**
 * The names that may have been meant: those that a gateway made of the backend's own name by putting the server's before or behind it, else
 * the nearest one, else those that have all of its words.
 */
export function meantTool(tool: string, names: readonly string[]): readonly string[] {
  const own = tool.toLowerCase();
  if (own === '') return [];
  const made = names.filter(name => isMadeOf(name.toLowerCase(), own));
  if (made.length > 0) return first(made);
  const near = nearest(tool, names);
  if (near !== undefined) return [near];
  const part = nearestPart(own, names);
  if (part.length > 0) return part;
  const words = splitWords(tool);
  return words.length < 2 ? [] : first(names.filter(name => includesAll(splitWords(name), words)));
}

const SEPARATORS = /[_./:-]/;

/** As a whole part of the name. */
function isMadeOf(name: string, own: string): boolean {
  for (let at = name.indexOf(own); at !== -1; at = name.indexOf(own, at + 1)) {
    const [before, behind] = [name.charAt(at - 1), name.charAt(at + own.length)];
    if ((at === 0 || SEPARATORS.test(before)) && (behind === '' || SEPARATORS.test(behind))) return true;
  }
  return false;
}

/** A mistyped name of the backend's own. */
function nearestPart(own: string, names: readonly string[]): readonly string[] {
  const byPart = Map.groupBy(names, name => name.slice(name.search(SEPARATORS) + 1));
  const near = nearest(own, [...byPart.keys()]);
  return near === undefined ? [] : first(byPart.get(near) ?? []);
}

/** `readFile` and `read_file` have the same. */
function splitWords(name: string): readonly string[] {
  return name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(SEPARATORS)
    .filter(word => word !== '');
}

function includesAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every(word => words.includes(word));
}

function first(names: readonly string[]): readonly string[] {
  return names.slice(0, MOST_NAMES);
}
