import { ADMIN_PATHS, BUILT_IN_PUBLIC_PATHS, INTERNAL_PATHS, REGISTRY_PATH, REGISTRY_ROUTES } from '#schemas';
import { findOAuth, type RegistryDocument } from '../../analysis/registry/document.ts';
import { findPathProblem, isCovered, normalizePath, splitPath } from '../../analysis/registry/public-path.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import type { Diagnostic, DiagnosticDetails } from '../../diagnostics/diagnostic.ts';

type Finding = readonly [code: DiagnosticCode, message: string, details?: DiagnosticDetails];

/**
 * A public path is open to every client: it must not cover more than intended, and never a route that changes state.
 *
 * @holds Registry server | `oauth.publicPaths` | start with `/`; no ambiguous paths | LNT8011
 * @holds Registry server | `oauth.publicPaths` | open only the paths that they name, and none that changes state or has claims | LNT8001
 * @holds Registry server | `oauth.publicPaths` | have an effect: they are served, and not built in, internal or repeated | LNT8012
 */
export function publicPaths(registry: RegistryDocument): Diagnostic[] {
  const oauth = findOAuth(registry);
  const texts = oauth?.value.publicPaths ?? [];
  return texts.flatMap((text, index) => {
    const found = checkPath(text, texts.slice(0, index), registry);
    if (found === undefined) return [];
    const [code, message, details] = found;
    const path = [...(oauth?.path ?? []), 'publicPaths', index];
    return [diagnose(registry.document, code, path, `${JSON.stringify(text)} ${message}`, details)];
  });
}

function checkPath(text: string, before: readonly string[], registry: RegistryDocument): Finding | undefined {
  const problem = findPathProblem(text);
  if (problem !== undefined) {
    const { message, ...details } = problem;
    return ['LNT8011', message, details];
  }
  const path = normalizePath(text);
  if (path === '/') return ['LNT8001', 'opens everything'];
  const admin = ADMIN_PATHS.find(above => isCovered(path, above));
  if (admin !== undefined) return ['LNT8001', `is in ${admin}, where servers of this configuration change state`];
  if (path === REGISTRY_PATH) {
    const names = registry.config.registries.map(({ name }) => `${REGISTRY_PATH}/${name}`).join(', ');
    return [
      'LNT8001',
      'opens every registry, and those that are added later',
      { fix: `name those you mean: ${names}` },
    ];
  }
  const repeated = [...BUILT_IN_PUBLIC_PATHS, ...before.map(normalizePath)].find(above => isCovered(path, above));
  if (repeated !== undefined) return ['LNT8012', `is public already, by ${JSON.stringify(repeated)}`];
  if (INTERNAL_PATHS.some(above => isCovered(path, above)))
    return ['LNT8012', 'is answered at the internal address, which asks for no token'];
  return isCovered(path, REGISTRY_PATH)
    ? findInRegistry(path, registry)
    : ['LNT8012', 'leads to nothing that is served'];
}

function findInRegistry(path: string, { config }: RegistryDocument): Finding | undefined {
  const [, name, ...rest] = splitPath(path);
  const registry = config.registries.find(entry => entry.name === name);
  if (registry === undefined) return ['LNT8012', `leads to nothing that is served: no registry is named "${name}"`];
  const reach = Math.max(...REGISTRY_ROUTES.map(({ path: route }) => countCommonSegments(rest, splitPath(route))));
  if (reach < rest.length) return ['LNT8012', 'leads to nothing that is served'];
  if (!REGISTRY_ROUTES.some(({ path: route }) => rest.every((value, at) => value === splitPath(route)[at])))
    return ['LNT8011', 'opens a part of what one route answers', { fix: `write ${REGISTRY_PATH}/${name}` }];
  if (registry.claims !== undefined) return ['LNT8001', `opens the registry "${name}" to callers without its claims`];
  const claimed = config.sources.find(source => source.claims !== undefined && registry.sources.includes(source.name));
  if (claimed === undefined) return undefined;
  return ['LNT8001', `opens the registry "${name}" to callers without the claims of its source "${claimed.name}"`];
}

/** The number of leading segments of a path that match a route, in which `{…}` matches any segment. */
function countCommonSegments(path: readonly string[], route: readonly string[]): number {
  const differs = path.findIndex((value, at) => !route[at]?.startsWith('{') && value !== route[at]);
  return differs === -1 ? path.length : differs;
}
