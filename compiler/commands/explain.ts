import { findCode, suggestCodeName } from '../diagnostics/find-code.ts';
import { explainCode } from '../explain/explain-code.ts';
import { explainField } from '../explain/explain-field.ts';
import { findField } from '../explain/find-field.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import { listTopics } from '../explain/topics.ts';
import { loadProject } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';

/** Explains a code, a kind or a field, or lists them all. Reads only data of this program. Returns the exit code. */
export function explain(topic: string | undefined): number {
  process.stdout.write(
    topic === undefined ? listTopics() : formatExplanation(topic, resolveSiteAddress(findDocumentation())),
  );
  return 0;
}

/**
 * The address of the documentation in the configuration of the current folder. An invalid configuration is ignored here, because other commands
 * report it.
 */
function findDocumentation(): string | undefined {
  try {
    return loadProject(undefined, process.cwd()).documentation;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/**
 * @param site address of the documentation, if there is any
 * @throws UsageError for an unknown topic, with the nearest one
 */
export function formatExplanation(topic: string, site?: string): string {
  const code = findCode(/^\d{4}$/.test(topic) ? `LNT${topic}` : topic);
  if (code !== undefined) return explainCode(code, site);
  if (/^lnt\d*$/i.test(topic)) throw new UsageError(`no code ${topic.toUpperCase()}; lintel explain lists all codes`);
  const found = findField(topic);
  if ('location' in found) return explainField(found.location, site);
  // The name of a code contains hyphens, a path contains dots.
  const name = suggestCodeName(topic);
  throw new UsageError(
    name === undefined || topic.includes('.') ? found.problem : `no topic "${topic}"; did you mean ${name}?`,
  );
}
