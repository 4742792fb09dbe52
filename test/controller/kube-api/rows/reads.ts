import { configMap, mcpGroup } from '../objects.ts';
import { type Row, readContinue, readVersion, type Step } from '../transcript.ts';

interface List {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly resourceVersion: string;
  };
  readonly items: readonly { readonly kind?: string; readonly metadata: { readonly name: string } }[];
}

const names = ({ kind, apiVersion, metadata, items }: List) => ({
  kind,
  apiVersion,
  next: metadata.continue === undefined || metadata.continue === '' ? metadata.continue : 'there is more',
  remaining: metadata.remainingItemCount,
  names: items.map(({ metadata: { name } }) => name),
  kinds: [...new Set(items.map(item => item.kind ?? 'none'))],
});
const name = ({ metadata }: List['items'][number]) => metadata.name;
const three: readonly Step[] = ['a', 'b', 'c'].map((one, at) => ({
  method: 'POST',
  path: 'configmaps',
  body: configMap(one, { data: { n: String(at) } }, { labels: { n: String(at), odd: String(at % 2 === 1) } }),
  show: name,
}));
const select = (labelSelector: string): Step => ({
  method: 'GET',
  path: 'configmaps',
  query: { labelSelector },
  show: names,
});

/** Lists and watches. */
export const READS: readonly Row[] = [
  {
    name: 'lists by label',
    steps: [
      ...three,
      select('n=1'),
      select('n!=1'),
      select('n in (0,2)'),
      select('n notin (0,2)'),
      select('odd'),
      select('!odd'),
      select('odd=false,n in (0, 1)'),
      select('missing!=x'),
      { ...select('=='), statusOnly: true },
    ],
  },
  {
    name: 'lists by field',
    steps: [
      ...three,
      { method: 'GET', path: 'configmaps', query: { fieldSelector: 'metadata.name=b' }, show: names },
      { method: 'GET', path: 'configmaps', query: { fieldSelector: 'metadata.name!=b' }, show: names },
      { method: 'GET', path: 'configmaps', query: { fieldSelector: 'data.n=1' }, statusOnly: true },
    ],
  },
  {
    name: 'lists in pages stay as they began',
    steps: [
      ...three,
      { method: 'GET', path: 'configmaps', query: { limit: 2 }, show: names },
      { method: 'DELETE', path: 'configmaps/c', show: () => 'deleted' },
      {
        method: 'GET',
        path: 'configmaps',
        query: answers => ({ limit: 2, continue: readContinue(answers[3]) }),
        show: names,
      },
      { method: 'GET', path: 'configmaps', query: { limit: 2, continue: 'nonsense' }, statusOnly: true },
    ],
  },
  {
    name: 'lists of custom resources have kinds in their items',
    steps: [
      { method: 'POST', path: 'mcpgroups', body: mcpGroup('a'), show: name },
      { method: 'GET', path: 'mcpgroups', show: names },
    ],
  },
  {
    name: 'a watch from a version on',
    steps: [
      ...three,
      { method: 'PATCH', path: 'configmaps/a', body: { data: { n: '7' } }, show: name },
      { method: 'DELETE', path: 'configmaps/b', show: () => 'deleted' },
      {
        method: 'WATCH',
        path: 'configmaps',
        query: ([first]) => ({ resourceVersion: readVersion(first) }),
      },
    ],
  },
  {
    name: 'a watch of the objects that a label selects',
    steps: [
      ...three,
      { method: 'PATCH', path: 'configmaps/a', body: { metadata: { labels: { odd: 'true' } } }, show: name },
      { method: 'PATCH', path: 'configmaps/b', body: { metadata: { labels: { odd: 'false' } } }, show: name },
      { method: 'PATCH', path: 'configmaps/c', body: { data: { n: '8' } }, show: name },
      {
        method: 'WATCH',
        path: 'configmaps',
        query: answers => ({
          labelSelector: 'odd=true',
          resourceVersion: readVersion(answers[2]),
        }),
      },
    ],
  },
  {
    name: 'a watch without a version begins with the existing objects',
    steps: [...three, { method: 'WATCH', path: 'configmaps', show: name }],
  },
];
