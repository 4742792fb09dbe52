/** Typical queries in the site's search lead to the expected page. */
import { expect, test } from 'vitest';
import { searchDocuments } from '../../build/site/search-documents.ts';
import { ROOT, readSite } from '../../build/site/site.ts';
import { withPeers } from '../support/peers.ts';

const site = readSite(ROOT);
const documents = searchDocuments(site);

test('each section, code and field has its own address in the search index of the documentation site', () => {
  const addresses = documents.map(({ address }) => address);
  expect(addresses.filter((address, at) => addresses.indexOf(address) < at)).toEqual([]);
  expect(documents.filter(({ title }) => title === '')).toEqual([]);
});

withPeers('minisearch').test(
  'the search of the documentation site finds the right page first, or among the first three results',
  async () => {
    // It imports minisearch, which may be missing.
    const { createIndex, find } = await import('../../build/site/browser/search.mjs');
    const index = createIndex(documents);
    const first = (query: string, count: number) =>
      find(index, query)
        .slice(0, count)
        .map(({ id }) => id);
    expect(first('LNT1003', 1)).toEqual(['codes/LNT1003.html']);
    expect(first('composite-escalation', 1)).toEqual(['codes/LNT5008.html']);
    expect(first('optimizer', 1)).toEqual(['docs/optimizer.html']);
    expect(first('VirtualMCPServer.spec.config.optimizer', 1)).toEqual([
      'fields/VirtualMCPServer.spec.config.optimizer.html',
    ]);
    expect(first('profiles', 1)).toEqual(['docs/configuration.html#profiles']);
    // A part of a name, a misspelt word, and the beginning of one.
    expect(first('priorityOrder', 3)).toContain(
      'fields/VirtualMCPServer.spec.config.aggregation.conflictResolutionConfig.priorityOrder.html',
    );
    expect(first('workflws', 3)).toContain('docs/workflows.html');
    expect(first('supressions', 3)).toContain('docs/configuration.html#suppressions');
    expect(first('no such words anywhere', 1)).toEqual([]);
  },
);
