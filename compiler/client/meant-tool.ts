/** Which tool a caller meant. */
import { nearest } from '../text/nearest.ts';

/** Tools named after so many servers are shown; more are for `lintel ls`. */
const MOST_NAMES = 3;

/**
 * The names that may have been meant: those that a gateway made of the backend's own name by putting the server's before or behind it, else
 * the nearest one.
 */
export function meantTool(tool: string, names: readonly string[]): readonly string[] {
  const own = tool.toLowerCase();
  const made = names.filter(name => own !== '' && isMadeOf(name.toLowerCase(), own));
  if (made.length > 0) return made.length > MOST_NAMES ? [] : made;
  const near = nearest(tool, names);
  return near === undefined ? nearestPart(own, names) : [near];
}

const SEPARATORS = /[_./:-]/;

function isMadeOf(name: string, own: string): boolean {
  return (
    (name.endsWith(own) && SEPARATORS.test(name.charAt(name.length - own.length - 1))) ||
    (name.startsWith(own) && SEPARATORS.test(name.charAt(own.length)))
  );
}

/** A mistyped name of the backend's own. */
function nearestPart(own: string, names: readonly string[]): readonly string[] {
  const byPart = Map.groupBy(names, name => name.slice(name.search(SEPARATORS) + 1));
  const near = nearest(own, [...byPart.keys()]);
  const made = near === undefined ? [] : (byPart.get(near) ?? []);
  return made.length > MOST_NAMES ? [] : made;
}
