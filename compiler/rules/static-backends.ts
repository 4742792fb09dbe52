import type { StaticBackend, VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { quote } from '../text/describe.ts';
import { urlProblem } from './support/url-problem.ts';

/** The name becomes part of tool names, of file paths, and of keys in the tool lock. */
const BACKEND_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/**
 * Inline backends of a VirtualMCPServer need a name, a URL without passwords, and certificates only where they have an effect.
 *
 * @holds config.aggregation, backends | `backends[].url`, `remoteUrl` | complete URL without credentials; `remoteUrl` no blocked address |
 *   LNT6011, LNT6010 | `goldens/cases/static-backend-mistakes`, `remote-urls`
 * @holds config.aggregation, backends | `backends[].name`, `caBundlePath` | 1 to 128 letters, digits, `_`, `-`, `.`; only with type `entry`,
 *   not over plain http | LNT1012, LNT1013, LNT1010, LNT1021 | `unservable/`
 */
export function staticBackends(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'VirtualMCPServer') return [];
  const { config } = resource.spec as VirtualMCPServerSpec;
  return (config?.backends ?? []).flatMap((backend, index) => {
    const path = ['spec', 'config', 'backends', index];
    return [
      ...checkName(resource, backend.name, [...path, 'name']),
      ...checkUrl(resource, backend.url, [...path, 'url']),
      ...checkCaBundle(resource, backend, [...path, 'caBundlePath']),
    ];
  });
}

function checkName(resource: Resource, name: string, path: Path): Diagnostic[] {
  if (BACKEND_NAME.test(name)) return [];
  const form = '1 to 128 letters, digits, "_", "-" and ".", the first a letter or a digit, such as "github"';
  const help = `Write ${form}`;
  if (name === '') return [diagnose(resource.document, 'LNT1013', path, 'the name of the backend is empty', { help })];
  const message = `${quote(name)} is not a valid name of a backend: ${form}`;
  return [diagnose(resource.document, 'LNT1012', path, message, { help })];
}

function checkUrl(resource: Resource, url: string, path: Path): Diagnostic[] {
  const problem = urlProblem(url);
  if (problem === undefined) return [];
  const { message, ...details } = problem;
  return [diagnose(resource.document, 'LNT6011', path, `url ${message}`, details)];
}

function checkCaBundle(resource: Resource, { type, caBundlePath, url }: StaticBackend, path: Path): Diagnostic[] {
  if (caBundlePath === undefined || caBundlePath === '') return [];
  if (type !== 'entry') {
    const message = 'caBundlePath is read only of a backend of type "entry"';
    return [diagnose(resource.document, 'LNT1010', path, message, { at: 'key', fix: 'set type: entry next to it' })];
  }
  if (URL.parse(url)?.protocol === 'http:') {
    const message = 'caBundlePath and a plain http url exclude each other: plain http has no certificate';
    return [diagnose(resource.document, 'LNT1021', path, message, { at: 'key' })];
  }
  return [];
}
