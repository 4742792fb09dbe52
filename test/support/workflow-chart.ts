import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './process.ts';

const QUICKSTART = join(ROOT, 'examples/quickstart');

/** The folder of the tool lock for {@link workflowChart}. */
export const LOCKED: string = QUICKSTART;

/** Tools of the quickstart's lock. */
export const TOOLS = {
  cities: { backend: 'climate', name: 'search' },
  compare: { backend: 'climate', name: 'compare' },
  monthly: { backend: 'climate', name: 'monthly' },
  add: { backend: 'notes', name: 'add' },
  read: { backend: 'notes', name: 'read' },
  notes: { backend: 'notes', name: 'search' },
} as const;

/** The quickstart's gateway with one workflow of these members, named `report`. */
export function workflowChart(workflow: object): Chart {
  const chart = new Chart(new App(), 'specs');
  const documents = parseAllDocuments(readFileSync(join(QUICKSTART, 'specs/quickstart.yaml'), 'utf8'));
  for (const [index, document] of documents.entries()) {
    const object = document.toJS();
    const isGateway = object.kind === 'VirtualMCPServer';
    if (isGateway) object.spec.config.compositeTools = [{ name: 'report', description: 'Tells.', ...workflow }];
    new ApiObject(chart, `object${index}`, object);
  }
  return chart;
}
