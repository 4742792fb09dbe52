/** The tables of a gateway's report, for terminal and Markdown. */
import type { Exposure } from '../exposure.ts';
import { backends, credentials, headers } from './backend-sections.ts';
import { type Column, cell, type Section, whoCell } from './section.ts';
import { hiddenTools, tools, workflowPaths } from './tool-sections.ts';
import { counted } from './words.ts';

/** Empty tables are left out. */
export function buildSections(exposure: Exposure): readonly Section[] {
  return [
    callers(exposure),
    tools(exposure),
    workflowPaths(exposure),
    hiddenTools(exposure),
    prompts(exposure),
    resources(exposure),
    withheld(exposure),
    backends(exposure),
    credentials(exposure),
    headers(exposure),
  ].filter(({ rows }) => rows.length > 0);
}

/** Callers are listed only when policies distinguish them. */
function callers({ callers, authorization }: Exposure): Section {
  const counts = (lists: readonly (readonly string[])[]) =>
    lists.map(list => cell(list.length === 0 ? '-' : String(list.length), list.length === 0 ? 'dim' : undefined));
  const number = (name: string): Column => ({ name, align: 'right' });
  return {
    title: 'Callers, each with what is open to them besides what is open to everyone',
    head: [number('tools'), number('workflows'), number('prompts'), number('resources'), { name: 'who' }],
    rows:
      authorization.type === 'none'
        ? []
        : callers.map(({ who, tools, composites, prompts, resources }) => [
            ...counts([tools, composites, prompts, resources]),
            whoCell(who),
          ]),
  };
}

function prompts({ prompts }: Exposure): Section {
  return {
    title: `Prompts: ${prompts.length}`,
    head: [{ name: 'name' }, { name: 'backend' }, { name: 'its name' }, { name: 'who' }],
    rows: prompts.map(({ name, backend, originalName, direct }) => [
      cell(name),
      cell(backend),
      cell(originalName === name ? '' : originalName),
      whoCell(direct),
    ]),
  };
}

function resources({ resources, resourceTemplates }: Exposure): Section {
  const all = [...resources, ...resourceTemplates];
  const title = [
    counted(resources.length, 'resource'),
    ...(resourceTemplates.length === 0 ? [] : [counted(resourceTemplates.length, 'template')]),
  ].join(', ');
  return {
    title: `Resources: ${title}`,
    head: [{ name: 'uri' }, { name: 'backend' }, { name: 'type' }, { name: 'who' }],
    rows: all.map(({ uri, backend, mimeType, direct }) => [
      cell(uri),
      cell(backend),
      cell(mimeType ?? ''),
      whoCell(direct),
    ]),
  };
}

const REASONS: { readonly [R in Exposure['withheld'][number]['reason']]: string } = {
  collision: 'others claim the name too',
  outranked: 'a backend of higher priority has the name',
  shadowed: 'another backend serves the URI',
  invalid_schema: 'its schema is invalid',
  unfit_name: 'the name is unfit',
  changed_definition: 'its definition is not that of the tool lock',
};

function withheld({ withheld }: Exposure): Section {
  return {
    title: `Withheld: ${withheld.length}`,
    head: [{ name: 'name' }, { name: 'kind' }, { name: 'backend' }, { name: 'its name' }, { name: 'because' }],
    rows: withheld.map(({ type, name, backend, originalName, reason, detail }) => [
      cell(name),
      cell(type),
      cell(backend),
      cell(originalName === name ? '' : originalName),
      cell(detail ?? REASONS[reason]),
    ]),
  };
}
