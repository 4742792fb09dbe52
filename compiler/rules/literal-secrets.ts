import { getMember } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isArgumentPath, isContainerPath } from '../source/program-secrets.ts';
import { isHeaderPath, sensitiveValues } from '../source/sensitive-values.ts';
import type { Path } from '../source/source-document.ts';
import { formatPointer } from '../text/pointer.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

/** Secrets in the clear are in the repository for good, and in everything that is made from it. */
export function literalSecrets(resource: Resource): Diagnostic[] {
  const onMachine = isStartedHere(resource)
    ? '; on your machine, write the value into .env: `lintel dev` names its variable'
    : '';
  return sensitiveValues(resource.kind, resource.spec).map(path => {
    const field = String(path.at(-1));
    if (isHeaderPath(path))
      return report(resource, path, `the header "${field}" looks like a secret in the clear`, {
        fix: 'use addHeadersFromSecret',
      });
    if (isArgumentPath(path))
      return report(resource, path, `argument ${Number(field) + 1} looks like a secret in the clear`, {
        fix: isContainerPath(path)
          ? 'keep the value in a Secret, give the container a variable with valueFrom.secretKeyRef, and write $(NAME) with its name here'
          : `keep the value in a Secret, name it under secrets, and write $(NAME) with its targetEnvName here${onMachine}`,
      });
    if (field === 'value')
      return report(resource, path, `the variable "${readName(resource, path)}" looks like a secret in the clear`, {
        fix: isContainerPath(path)
          ? 'keep the value in a Secret, and use valueFrom.secretKeyRef'
          : `keep the value in a Secret, and name it under secrets with this name as targetEnvName${onMachine}`,
      });
    return report(resource, path, `${field} holds a secret in the clear`, {
      fix: `use ${field}Env and keep the value out`,
      ...(isRead(resource, path) ? { severity: 'error' } : {}),
    });
  });
}

/** A program without an image: `lintel dev` and `serve` start it where people work, and no cluster does. */
function isStartedHere({ kind, spec }: Resource): boolean {
  return kind === 'MCPServer' && getMember(spec, 'command') !== undefined && getMember(spec, 'image') === undefined;
}

/** The name of a variable, by the path of its value. */
function readName(resource: Resource, path: Path): string {
  const steps = path.slice(1, -1);
  const variable = steps.reduce<unknown>(
    (holder, step) => (holder as Record<string | number, unknown>)[step],
    resource.spec,
  );
  return String((variable as { readonly name: unknown }).name);
}

/** Would the value have to be in a bundle? There it never is. */
function isRead(resource: Resource, path: Path): boolean {
  return listStrategies(resource).some(strategy => strategy.path.every((step, index) => step === path[index]));
}

/** At the key above, or at the name of a variable: frames do not show the line with the secret. */
function report(resource: Resource, path: Path, message: string, details: DiagnosticDetails): Diagnostic {
  const above = path.slice(0, -1);
  const found =
    path.at(-1) === 'value'
      ? diagnose(resource.document, 'LNT6001', [...above, 'name'], message, details)
      : diagnose(resource.document, 'LNT6001', above, message, { at: 'key', ...details });
  return { ...found, pointer: formatPointer(path) };
}
