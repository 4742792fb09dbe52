import { readFileSync } from 'node:fs';
import { ApiObject, App, Chart } from 'cdk8s';
import { parseAllDocuments } from 'yaml';

/** The objects of a YAML file as a chart, as a program would create it. */
export function loadChart(file: string): Chart {
  const chart = new Chart(new App(), 'specs', { disableResourceNameHashes: true });
  for (const [index, document] of parseAllDocuments(readFileSync(file, 'utf8')).entries()) {
    new ApiObject(chart, `object${index}`, document.toJS());
  }
  return chart;
}
