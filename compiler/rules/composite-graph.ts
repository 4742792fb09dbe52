import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic, RelatedLocation } from '../diagnostics/diagnostic.ts';
import { listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';

/**
 * The steps of a workflow: ids are unique, and dependencies exist and form no cycle.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `steps[].id` | not empty, unique | LNT1010, LNT7001
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `steps[].dependsOn` | existing steps; not itself; no cycle | LNT7002,
 *   LNT7003
 */
export function compositeGraph(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    const steps = [...path, 'steps'];
    return [
      ...checkDuplicateSteps(resource, tool.steps, steps),
      ...checkDependencies(resource, tool.steps, steps),
      ...checkCycles(resource, tool.steps, steps),
    ];
  });
}

function checkDuplicateSteps(resource: Resource, steps: readonly Step[], path: Path): Diagnostic[] {
  const first = new Map<string, number>();
  return steps.flatMap(({ id }, index) => {
    const at = [...path, index, 'id'];
    if (id === '') return [diagnose(resource.document, 'LNT1010', at, 'the id of the step is empty')];
    const previous = first.get(id);
    if (previous === undefined) {
      first.set(id, index);
      return [];
    }
    const related = [locateRelated(resource, [...path, previous, 'id'], 'the first step of this id')];
    return [diagnose(resource.document, 'LNT7001', at, `step "${id}" is defined twice`, { related })];
  });
}

function checkDependencies(resource: Resource, steps: readonly Step[], path: Path): Diagnostic[] {
  const ids = steps.map(({ id }) => id);
  const known = new Set(ids);
  return steps.flatMap(({ id, dependsOn = [] }, index) =>
    dependsOn.flatMap((name, rank) => {
      if (known.has(name)) return [];
      const close = findNearest(
        name,
        ids.filter(other => other !== id),
      );
      return [
        diagnose(
          resource.document,
          'LNT7002',
          [...path, index, 'dependsOn', rank],
          `step "${id}" depends on "${name}", which is not a step of this workflow`,
          close === undefined ? {} : { fix: `did you mean "${close}"?` },
        ),
      ];
    }),
  );
}

/** One finding for each step that closes a cycle, with the cycle's steps. */
function checkCycles(resource: Resource, steps: readonly Step[], path: Path): Diagnostic[] {
  const indexOf = new Map(steps.map(({ id }, index) => [id, index] as const).reverse());
  const found: Diagnostic[] = [];
  const done = new Set<number>();
  for (const start of steps.keys()) {
    // An explicit stack, so that a chain of a thousand steps does not overflow the call stack.
    const trail: { readonly index: number; next: number }[] = [{ index: start, next: 0 }];
    const onTrail = new Set([start]);
    while (trail.length > 0) {
      const here = trail[trail.length - 1] as (typeof trail)[number];
      const name = done.has(here.index) ? undefined : steps[here.index]?.dependsOn?.[here.next];
      if (name === undefined) {
        done.add(here.index);
        onTrail.delete(here.index);
        trail.pop();
        continue;
      }
      const target = indexOf.get(name);
      if (target !== undefined && onTrail.has(target)) {
        const around = [...trail.slice(trail.findIndex(({ index }) => index === target)), { index: target }];
        const names = around.map(({ index }) => `"${steps[index]?.id}"`);
        const at = [...path, here.index, 'dependsOn', here.next];
        found.push(diagnose(resource.document, 'LNT7003', at, formatCycle(names)));
      } else if (target !== undefined && !done.has(target)) {
        onTrail.add(target);
        trail.push({ index: target, next: 0 });
      }
      here.next += 1;
    }
  }
  return found;
}

function formatCycle(names: readonly string[]): string {
  if (names.length === 2) return `step ${names[0]} depends on itself`;
  return `steps wait for each other, so none of them starts: ${names.join(' waits for ')}`;
}

function locateRelated(resource: Resource, path: Path, message: string): RelatedLocation {
  return createRelatedLocation(message, resource.document.doc, path);
}
