import {
  findBasicUserProblem,
  findGitPathProblem,
  findGitRefProblem,
  findGitRepositoryProblem,
  type RegistryHttpAuth,
  type RegistrySource,
} from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { LONGEST_TIMER_MS, parseDurationMs } from '../../text/duration.ts';
import { isExposedHttp } from '../support/plain-http.ts';
import { findWebUrlProblem } from '../support/web-url.ts';

type Report = (code: DiagnosticCode, path: Path, message: string, severity?: 'warning') => Diagnostic;

const FORM_HELP: { readonly [field: string]: string } = {
  branch: 'Write the name of a branch, such as main',
  tag: 'Write the name of a tag, such as v1.2.0',
  commit: 'Write the full hash of a commit, such as 4f2d0a7c1b3e5d69788a9bacbdcedfe0f1a2b3c4',
  path: 'Write a path within the repository, such as registry/servers.json',
  username: 'Write a name without colons and control characters, such as robot',
  timeout: 'Write a duration longer than zero and of at most 5m, such as 30s',
  interval: 'Write a duration of at least 1s and of at most 24 days, such as 30m',
};

interface Bounds {
  readonly leastMs: number;
  readonly least: string;
  readonly mostMs: number;
  readonly most: string;
}

const TIMEOUT: Bounds = { leastMs: 1, least: 'longer than zero', mostMs: 5 * 60_000, most: '5m' };

/** Minimum interval between two reads of a source: see `runtime/registry/sources/poll-interval.ts`. */
const INTERVAL: Bounds = { leastMs: 1_000, least: 'of at least 1s', mostMs: LONGEST_TIMER_MS, most: '24 days' };

/**
 * Requirements of each source type, and of its intervals.
 *
 * @holds Registry server | `sources[].syncPolicy` | required for `git`, `api`, `file.url`; longer than zero | LNT1013
 * @holds Registry server | `api.auth`, `file.auth` | a token, or a user with a password; not over plain http, except on loopback | LNT1010,
 *   LNT1014, LNT1021, LNT8007
 * @holds Registry server | `git.repository` | https, http with a warning (an error with `auth`, except on loopback), a `file` URL or an
 *   absolute path; no ssh, no credentials, no query | LNT6011, LNT8007
 * @holds Registry server | `git.branch`, `tag`, `commit` | exclude each other; names that git allows, without `refs/`; full ids | LNT1021,
 *   LNT1014
 * @holds Registry server | `git.path` | from the root, no `.` or `..` segment, no hyphen in front | LNT1014 | `shared/git/hostile`
 * @holds Registry server | `git.auth` | both fields, absolute path; no colon in the user name; no effect for a repository on the machine
 *   itself | LNT1014
 * @holds Registry server | `api.endpoint`, `file.url` | complete URLs, https; the base of the API | LNT6011, LNT8007
 * @holds Registry server | `api.timeout`, `file.timeout` | longer than zero, at most 5m; only with `url` | LNT1013
 * @holds Registry server | `file` | exactly one of `path` and `url` | LNT1010, LNT1021
 */
export function sourceOrigins({ document, config }: RegistryDocument): Diagnostic[] {
  const report: Report = (code, path, message, severity) =>
    diagnose(document, code, path, message, { ...(severity && { severity }), ...suggestForm(code, path) });
  return config.sources.flatMap((source, index) => {
    const path = ['sources', index];
    return [
      ...checkGit(source, [...path, 'git'], report),
      ...checkFile(source, [...path, 'file'], report),
      ...checkUrl(source.api?.endpoint, source.api?.auth, [...path, 'api', 'endpoint'], report),
      ...checkUrl(source.file?.url, source.file?.auth, [...path, 'file', 'url'], report),
      ...checkAuth(source.api?.auth, [...path, 'api', 'auth'], report),
      ...(source.file?.url === undefined ? [] : checkAuth(source.file.auth, [...path, 'file', 'auth'], report)),
      ...checkTime(source.api?.timeout, TIMEOUT, [...path, 'api', 'timeout'], report),
      ...checkTime(source.file?.timeout, TIMEOUT, [...path, 'file', 'timeout'], report),
      ...checkTime(source.syncPolicy?.interval, INTERVAL, [...path, 'syncPolicy', 'interval'], report),
    ];
  });
}

function suggestForm(code: DiagnosticCode, path: Path): { readonly help?: string } {
  const help = code === 'LNT1013' || code === 'LNT1014' ? FORM_HELP[String(path.at(-1))] : undefined;
  return help === undefined ? {} : { help };
}

function checkGit({ git }: RegistrySource, path: Path, report: Report): Diagnostic[] {
  if (git === undefined) return [];
  const refs = (['branch', 'tag', 'commit'] as const).filter(ref => git[ref] !== undefined);
  const [, second] = refs;
  const format = (at: string[], problem: string | undefined): Diagnostic[] =>
    problem === undefined ? [] : [report('LNT1014', [...path, ...at], `${at.at(-1)} ${problem}`)];
  return [
    ...(second === undefined ? [] : [report('LNT1021', [...path, second], `set one of ${refs.join(' and ')}`)]),
    ...checkRepository(git, [...path, 'repository'], report),
    ...refs.flatMap(ref => format([ref], findGitRefProblem(ref, git[ref] ?? ''))),
    ...format(['path'], git.path === undefined ? undefined : findGitPathProblem(git.path)),
    ...format(['auth', 'username'], git.auth === undefined ? undefined : findBasicUserProblem(git.auth.username)),
  ];
}

function checkRepository(
  { repository, auth }: NonNullable<RegistrySource['git']>,
  path: Path,
  report: Report,
): Diagnostic[] {
  const problem = findGitRepositoryProblem(repository);
  if (problem !== undefined) return [report('LNT6011', path, `repository ${problem}`)];
  if (!isExposedHttp(repository)) return [];
  return auth === undefined
    ? [report('LNT8007', path, 'repository is plain http, so entries can be changed on the way', 'warning')]
    : [report('LNT8007', path, 'repository is plain http, so the password can be read on the way')];
}

function checkFile({ file }: RegistrySource, path: Path, report: Report): Diagnostic[] {
  if (file === undefined) return [];
  if (file.path === undefined && file.url === undefined) return [report('LNT1010', path, 'a file needs path or url')];
  if (file.path !== undefined && file.url !== undefined)
    return [report('LNT1021', [...path, 'url'], 'set one of path and url')];
  return [];
}

/** Credentials are either a token, or a user with a password. */
function checkAuth(auth: RegistryHttpAuth | undefined, path: Path, report: Report): Diagnostic[] {
  if (auth === undefined) return [];
  const { username, passwordFile, tokenFile } = auth;
  const other = username === undefined ? 'passwordFile' : 'username';
  if (tokenFile !== undefined) {
    if (username === undefined && passwordFile === undefined) return [];
    return [report('LNT1021', [...path, other], `set tokenFile or ${other}: a request has one credential`)];
  }
  if (username === undefined && passwordFile === undefined)
    return [report('LNT1010', path, 'auth needs tokenFile, or username and passwordFile')];
  if (username === undefined || passwordFile === undefined) {
    const missing = username === undefined ? 'username' : 'passwordFile';
    return [report('LNT1010', [...path, other], `${other} is set, and ${missing} is missing`)];
  }
  const problem = findBasicUserProblem(username);
  return problem === undefined ? [] : [report('LNT1014', [...path, 'username'], `username ${problem}`)];
}

function checkUrl(
  text: string | undefined,
  auth: RegistryHttpAuth | undefined,
  path: Path,
  report: Report,
): Diagnostic[] {
  if (text === undefined) return [];
  const problem = findWebUrlProblem(text);
  const field = String(path.at(-1));
  if (problem !== undefined) return [report('LNT6011', path, `${field} ${problem}`)];
  if (field === 'endpoint' && /\/v0(?:\.1)?\/?$/.test(text))
    return [report('LNT6011', path, 'endpoint ends with the version of the API, which the server adds itself')];
  if (!isExposedHttp(text)) return [];
  return auth === undefined
    ? [report('LNT8007', path, `${field} is plain http, so entries can be changed on the way`, 'warning')]
    : [report('LNT8007', path, `${field} is plain http, so the credentials can be read on the way`)];
}

function checkTime(text: string | undefined, bounds: Bounds, path: Path, report: Report): Diagnostic[] {
  if (text === undefined) return [];
  const { leastMs, least, mostMs, most } = bounds;
  const ms = parseDurationMs(text);
  if (ms >= leastMs && ms <= mostMs) return [];
  return [
    report('LNT1013', path, `expected a duration ${ms < leastMs ? least : `of at most ${most}`}, found "${text}"`),
  ];
}
