/** `.env.example`: the variables that a gateway needs on this machine, never their values. */
import type { ImportPlan } from './plan.ts';

const TITLE = `# Secrets of the gateway. Copy this file to .env, which Git ignores, write each value behind its name, and start the
# gateway with \`lintel dev --dotenv .env\`. In a cluster they come out of Secrets.
`;

/** @param existing the current text, which gets the missing names */
export function formatEnvExample(
  { carried, objects }: Pick<ImportPlan, 'carried' | 'objects'>,
  existing: string,
): string {
  const has = new Set([...existing.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].map(([, name]) => name));
  const ofServers = carried
    .flatMap(({ variables }) => variables)
    .map(({ name, server, part, recipe, secret }) => {
      const location = secret === undefined ? '' : ` Secret ${secret.name}, key ${secret.key}.`;
      const what = part.kind === 'header' ? 'Header' : 'Variable';
      return { name, comment: `${what} ${part.name} of ${server}: ${recipe}.${location}` };
    });
  const ofObjects = objects.flatMap(({ secrets }) =>
    secrets.flatMap(({ name, recipe, variable }) =>
      variable === undefined ? [] : [{ name, comment: `${variable.part} of ${variable.server}: ${recipe}.` }],
    ),
  );
  const missing = [...ofServers, ...ofObjects].filter(({ name }) => !has.has(name));
  if (missing.length === 0) return existing;
  const entries = missing.map(({ name, comment }) => `\n# ${comment}\n${name}=\n`);
  const start = existing === '' ? TITLE : existing.replace(/\n*$/, '\n');
  return start + entries.join('');
}
