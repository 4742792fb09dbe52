import { getMember } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import { withoutDoubt } from '../../check/doubt.ts';
import type { Diagnostic, DiagnosticDetails } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { isContainerPath } from '../../source/program-secrets.ts';
import { findSecretParameter } from '../../source/secret-parameter.ts';
import type { SensitiveValue } from '../../source/sensitive-values.ts';
import type { Path } from '../../source/source-document.ts';
import { quote } from '../../text/describe.ts';
import { formatPointer } from '../../text/pointer.ts';

/** Names the field with the secret at the beginning of a message: `argument 3`, `the header "Authorization"`. */
export function formatHolder(resource: Resource, { path, role }: SensitiveValue): string {
  const last = path.at(-1);
  switch (role) {
    case 'header':
      return `the header ${quote(String(last))}`;
    case 'argument':
      return `argument ${Number(last) + 1}`;
    case 'variable': {
      const name = withoutDoubt(() => getValueAt(resource.spec, [...path.slice(1, -1), 'name']))?.result;
      return typeof name === 'string' ? `the variable ${quote(name)}` : 'a variable';
    }
    default:
      return String(path.findLast(step => typeof step === 'string'));
  }
}

/**
 * Advice as an instruction; undefined when no field accepts a reference.
 * @param value what to move elsewhere, such as `the value`
 */
export function suggestReference(
  resource: Resource,
  { path, role, text }: SensitiveValue,
  value: string,
): string | undefined {
  const inSecret = `keep ${value} in a Secret`;
  switch (role) {
    case 'field':
      return `use ${path.at(-1)}Env and keep ${value} out`;
    case 'header':
      return `${inSecret}, and use addHeadersFromSecret`;
    case 'argument':
      return isContainerPath(path)
        ? `${inSecret}, give the container a variable with valueFrom.secretKeyRef, and write $(NAME) with its name here`
        : `${inSecret}, name it under secrets, and write $(NAME) with its targetEnvName here${onMachine(resource)}`;
    case 'variable':
      return isContainerPath(path)
        ? `${inSecret}, and use valueFrom.secretKeyRef`
        : `${inSecret}, and name it under secrets with this name as targetEnvName${onMachine(resource)}`;
    case 'text': {
      const field = SENDING[`${resource.kind} ${path.filter(step => typeof step === 'string').join('.')}`];
      if (field === undefined || findSecretParameter(text) === undefined) return undefined;
      return `${inSecret}, and send it in a header by ${field}, if the server takes it there`;
    }
  }
}

/** Fields by which a spec can send the secret in a header instead of in the URL, by the kind and the field with the URL. */
const SENDING: { readonly [location: string]: string } = {
  'MCPServerEntry spec.remoteUrl': 'headerForward.addHeadersFromSecret',
  'MCPRemoteProxy spec.remoteUrl': 'headerForward.addHeadersFromSecret',
  'VirtualMCPServer spec.config.backends.url': 'outgoingAuth',
};

function onMachine(resource: Resource): string {
  return withoutDoubt(() => isStartedHere(resource))?.result === true
    ? '; on your machine, write the value into .env: `lintel dev` names its variable'
    : '';
}

/** A server without an image: `lintel dev` and `serve` start it on the operator's machine; no cluster does. */
function isStartedHere({ kind, spec }: Resource): boolean {
  return kind === 'MCPServer' && getMember(spec, 'command') !== undefined && getMember(spec, 'image') === undefined;
}

/** The finding points to the argument, to the name of the variable, or to the key of the value: no code frame may show the line of a secret. */
export function diagnoseSecret(
  { document }: Resource,
  code: 'LNT6001' | 'LNT6024' | 'LNT6025',
  { path, role }: SensitiveValue,
  message: string,
  details: DiagnosticDetails,
): Diagnostic {
  const reportedPath: Path = role === 'variable' ? [...path.slice(0, -1), 'name'] : path;
  const isItem = typeof reportedPath.at(-1) === 'number' || role === 'variable';
  const found = diagnose(document, code, reportedPath, message, { at: isItem ? 'value' : 'key', ...details });
  return { ...found, pointer: formatPointer(path) };
}

function getValueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, step) => (holder as Record<string | number, unknown>)[step], value);
}
