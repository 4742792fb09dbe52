import { getMember, isObject } from '#schemas';
import { findDirectiveProblems, isAboutList, isDirective } from '../analysis/pods/directives.ts';
import { findMainContainer } from '../analysis/pods/main-container.ts';
import { getPodPatchSchema } from '../analysis/pods/pod-schema.ts';
import { diagnose } from '../check/diagnose.ts';
import { checkStructure, type Violation } from '../check/structural.ts';
import { suggestRemedy } from '../check/violation-words.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

const PLACE = ['spec', 'podTemplateSpec'];

/**
 * `podTemplateSpec` is merged over the generated pod, so it must be a valid pod template that keeps the main container.
 *
 * @holds VirtualMCPServer | `podTemplateSpec` | fields, types, enums, formats, quantities and keys of a pod template, at any depth, by the
 *   schema of `pods/`; containers next to `vmcp` have an image (all kinds); directives of a strategic merge patch | LNT1046
 */
export function podTemplates({ kind, spec, document }: Resource): Diagnostic[] {
  const { podTemplateSpec: template } = spec as { readonly podTemplateSpec?: unknown };
  const main = findMainContainer(kind);
  if (main === undefined || !isObject(template)) return [];
  const violations = checkStructure(getPodPatchSchema(), template).filter(found => !isOfDirective(template, found));
  return [
    ...violations.map(violation => {
      const { path, at, message } = violation;
      const details = { at, ...suggestRemedy(violation, template) };
      return diagnose(document, 'LNT1046', [...PLACE, ...path], message, details);
    }),
    ...findDirectiveProblems(template, []).map(({ path, message }) =>
      diagnose(document, 'LNT1046', [...PLACE, ...path], message),
    ),
    ...listContainerProblems(template, main).map(({ path, message, fix }) =>
      diagnose(document, 'LNT1046', [...PLACE, ...path], message, fix === undefined ? {} : { fix }),
    ),
  ];
}

/** Directives are not fields, and an item with a directive about its list has no key. */
function isOfDirective(template: unknown, { kind, path, field }: Violation): boolean {
  if (kind === 'unknown-field') return isDirective(field ?? '');
  return kind === 'missing-field' && isAboutList(getValueAt(template, path));
}

interface ContainerProblem {
  readonly path: Path;
  readonly message: string;
  readonly fix?: string;
}

/** The template must not remove the server's container, and other containers need an image. */
function listContainerProblems({ spec }: Readonly<Record<string, unknown>>, main: string): ContainerProblem[] {
  return ['initContainers', 'containers'].flatMap(list => {
    const own = list === 'containers' ? main : undefined;
    const containers = getMember(spec, list);
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container, index) => findContainerProblem(container, own, ['spec', list, index]));
  });
}

function findContainerProblem(container: unknown, main: string | undefined, path: Path): ContainerProblem[] {
  if (!isObject(container) || isAboutList(container)) return [];
  const { name, image, $patch } = container;
  if ($patch === 'delete') {
    const message = `container "${main}" is the server itself and cannot be removed`;
    return name === main ? [{ path: [...path, '$patch'], message }] : [];
  }
  if (typeof name !== 'string' || name === main || (image !== undefined && image !== '')) return [];
  const message = `container ${JSON.stringify(name)} is added to the pod and has no image`;
  const fix = main === undefined ? {} : { fix: `the generated container is named "${main}"` };
  return [{ path: [...path, 'name'], message, ...fix }];
}

function getValueAt(root: unknown, path: Path): unknown {
  return path.reduce((value, step) => (value as Readonly<Record<string | number, unknown>>)[step], root);
}
