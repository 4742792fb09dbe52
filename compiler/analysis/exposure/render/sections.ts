/** The tables of a gateway's report, for terminal and Markdown. */
import type { Exposure } from '../exposure.ts';
import { renderBackends, renderCredentials, renderHeaders } from './backend-sections.ts';
import { type Column, renderWho, type Section, toCell } from './section.ts';
import { renderHiddenTools, renderTools, renderWorkflowPaths } from './tool-sections.ts';
import { formatCount } from './words.ts';

/** The tables of the report, without those that are empty. */
export function buildSections(exposure: Exposure): readonly Section[] {
  return [
    renderCallers(exposure),
    renderTools(exposure),
    renderWorkflowPaths(exposure),
    renderHiddenTools(exposure),
    renderPrompts(exposure),
    renderResources(exposure),
    renderWithheld(exposure),
    renderBackends(exposure),
    renderCredentials(exposure),
    renderHeaders(exposure),
  ].filter(({ rows }) => rows.length > 0);
}

/** Callers are listed only when policies distinguish them. */
function renderCallers({ callers, authorization }: Exposure): Section {
  const counts = (lists: readonly (readonly string[])[]) =>
    lists.map(list => toCell(list.length === 0 ? '-' : String(list.length), list.length === 0 ? 'dim' : undefined));
  const number = (name: string): Column => ({ name, align: 'right' });
  return {
    title: 'What each caller may use, in addition to what everyone may use',
    head: [number('tools'), number('workflows'), number('prompts'), number('resources'), { name: 'who' }],
    rows:
      authorization.type === 'none'
        ? []
        : callers.map(({ who, tools, composites, prompts, resources }) => [
            ...counts([tools, composites, prompts, resources]),
            renderWho(who),
          ]),
  };
}

function renderPrompts({ prompts }: Exposure): Section {
  return {
    title: `Prompts: ${prompts.length}`,
    head: [{ name: 'name' }, { name: 'backend' }, { name: 'its name' }, { name: 'who' }],
    rows: prompts.map(({ name, backend, originalName, direct }) => [
      toCell(name),
      toCell(backend),
      toCell(originalName === name ? '' : originalName),
      renderWho(direct),
    ]),
  };
}

function renderResources({ resources, resourceTemplates }: Exposure): Section {
  const all = [...resources, ...resourceTemplates];
  const title = [
    formatCount(resources.length, 'resource'),
    ...(resourceTemplates.length === 0 ? [] : [formatCount(resourceTemplates.length, 'template')]),
  ].join(', ');
  return {
    title: `Resources: ${title}`,
    head: [{ name: 'uri' }, { name: 'backend' }, { name: 'type' }, { name: 'who' }],
    rows: all.map(({ uri, backend, mimeType, direct }) => [
      toCell(uri),
      toCell(backend),
      toCell(mimeType ?? ''),
      renderWho(direct),
    ]),
  };
}

const REASONS: { readonly [R in Exposure['withheld'][number]['reason']]: string } = {
  collision: 'several backends claim the name',
  outranked: 'a backend of higher priority has the name',
  shadowed: 'another backend serves the URI',
  invalid_schema: 'its schema is invalid',
  unfit_name: 'clients may not accept the name',
  changed_definition: 'its definition differs from the tool lock',
};

function renderWithheld({ withheld }: Exposure): Section {
  return {
    title: `Withheld: ${withheld.length}`,
    head: [{ name: 'name' }, { name: 'kind' }, { name: 'backend' }, { name: 'its name' }, { name: 'because' }],
    rows: withheld.map(({ type, name, backend, originalName, reason, detail }) => [
      toCell(name),
      toCell(type),
      toCell(backend),
      toCell(originalName === name ? '' : originalName),
      toCell(detail ?? REASONS[reason]),
    ]),
  };
}
