/** Embedded code in an object: Cedar policies, workflow templates, CEL conditions. */
import { isObject } from '#schemas';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';

export interface CodeRegion {
  readonly language: 'cedar' | 'template' | 'cel';
  readonly path: Path;
  readonly text: string;
}

export function findCodeRegions({ kind, doc }: ResourceDocument): readonly CodeRegion[] {
  return listRegions(doc.value, [], kind === 'VirtualMCPCompositeToolDefinition');
}

function listRegions(value: unknown, path: Path, inWorkflow: boolean): readonly CodeRegion[] {
  if (typeof value === 'string') {
    const language = findLanguageAt(path, value, inWorkflow);
    return language === undefined ? [] : [{ language, path, text: value }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => listRegions(item, [...path, index], inWorkflow));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    listRegions(member, [...path, key], inWorkflow || key === 'compositeTools'),
  );
}

/** Whether a field is a template. Only fields of steps and outputs are; braces in a description are text. */
function isTemplate(path: Path): boolean {
  return path.includes('arguments') || ['condition', 'message', 'collection', 'value'].includes(String(path.at(-1)));
}

function findLanguageAt(path: Path, text: string, inWorkflow: boolean): CodeRegion['language'] | undefined {
  if (inWorkflow) return text.includes('{{') && isTemplate(path) ? 'template' : undefined;
  if (path.at(-2) === 'policies') return 'cedar';
  const isCel = (path.at(-1) === 'matcher' && path.at(-3) === 'roleMappings') || path.at(-1) === 'actorMatcher';
  return isCel ? 'cel' : undefined;
}
