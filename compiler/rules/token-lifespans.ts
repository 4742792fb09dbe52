import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { parseDurationMs } from '../text/duration.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { isExplicit } from './support/explicit.ts';

/** The minimum and maximum lifetime, in text form. */
const BOUNDS = {
  accessTokenLifespan: ['1m', '24h'],
  refreshTokenLifespan: ['1h', '720h'],
  authCodeLifespan: ['30s', '10m'],
} as const;

/**
 * Lifetimes of issued tokens must be within bounds, and a refresh token must outlive its access token.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `tokenLifespans` | access 1m–24h, refresh 1h–30d, code 30s–10m
 *   | LNT1013
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `tokenLifespans` | the refresh token lives longer than the
 *   access token | LNT1022
 */
export function tokenLifespans(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  const lifespans = location?.server.tokenLifespans;
  if (location === undefined || lifespans === undefined) return [];
  const path = [...location.path, 'tokenLifespans'];
  const found = (Object.keys(BOUNDS) as (keyof typeof BOUNDS)[]).flatMap(field => {
    const text = lifespans[field];
    const [least, most] = BOUNDS[field];
    if (
      text === undefined ||
      (parseDurationMs(text) >= parseDurationMs(least) && parseDurationMs(text) <= parseDurationMs(most))
    )
      return [];
    const form = `a duration from ${least} to ${most}`;
    const message = `expected ${form}, found "${text}"`;
    return [diagnose(resource.document, 'LNT1013', [...path, field], message, { help: `Write ${form}` })];
  });
  const { accessTokenLifespan: access, refreshTokenLifespan: refresh } = lifespans;
  if (found.length > 0 || access === undefined || refresh === undefined) return found;
  if (parseDurationMs(refresh) > parseDurationMs(access)) return found;
  const field = isExplicit(resource, [...path, 'refreshTokenLifespan'])
    ? 'refreshTokenLifespan'
    : 'accessTokenLifespan';
  const message = `the refresh token (${refresh}) does not outlive the access token (${access}) that it renews`;
  return [diagnose(resource.document, 'LNT1022', [...path, field], message)];
}
