import type { MCPExternalAuthConfigSpec } from '#schemas';
import { loadMatcher } from '../check/cel/load-matcher.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { diagnosePart, type TextLocation } from './support/diagnose-part.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/**
 * Matchers, which grant roles and allow acting for others, must be Boolean CEL expressions over `claims`.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `trustedIssuers[].actorMatcher` | at most 4096 characters; CEL
 *   that is true or false, over `claims`; other variables are not checked | LNT1045, LNT1020
 * @holds outgoingAuth and config.outgoingAuth | `awsSts.roleMappings[].matcher` | CEL over `claims` that is true or false; patterns of RE2 |
 *   LNT1045, LNT1020
 * @holds Other kinds | MCPExternalAuthConfig, `awsSts`, `xaa` | as for the strategies above | -
 */
export function matchers(resource: Resource): Diagnostic[] {
  return [
    ...listRoleMatchers(resource).flatMap(location => check(resource, location, 'only')),
    // It is not documented whether actor matchers can read more than the claims.
    ...listActorMatchers(resource).flatMap(location => check(resource, location, 'at least')),
  ];
}

function check(resource: Resource, location: TextLocation, sees: 'only' | 'at least'): Diagnostic[] {
  return loadMatcher()
    .findMatcherProblems(location.text)
    .map(({ is, message, at }) => {
      if (is === 'unchecked' || (is === 'unbound' && sees === 'at least')) {
        const help = 'The matcher may be correct. If it cannot be evaluated at run time, no caller matches';
        return diagnosePart(resource, 'LNT1020', location, at, `a matcher was not checked: ${message}`, { help });
      }
      return diagnosePart(resource, 'LNT1045', location, at, message, is === 'untyped' ? { severity: 'warning' } : {});
    });
}

interface Mapping {
  readonly matcher?: string;
}

function listRoleMatchers(resource: Resource): TextLocation[] {
  const placesIn = (mappings: readonly Mapping[] | undefined, path: Path) =>
    (mappings ?? []).flatMap(({ matcher = '' }, index) =>
      matcher === '' ? [] : [{ text: matcher, path: [...path, 'awsSts', 'roleMappings', index, 'matcher'] }],
    );
  if (resource.kind === 'MCPExternalAuthConfig') {
    const { awsSts } = resource.spec as MCPExternalAuthConfigSpec;
    return placesIn(awsSts?.roleMappings, ['spec']);
  }
  return listStrategies(resource).flatMap(({ strategy, path }) => placesIn(strategy.awsSts?.roleMappings, path));
}

function listActorMatchers(resource: Resource): TextLocation[] {
  const location = findAuthServer(resource);
  return (location?.server.trustedIssuers ?? []).flatMap(({ actorMatcher = '' }, index) =>
    actorMatcher === ''
      ? []
      : [{ text: actorMatcher, path: [...(location?.path ?? []), 'trustedIssuers', index, 'actorMatcher'] }],
  );
}
