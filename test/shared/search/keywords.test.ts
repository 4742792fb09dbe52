import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolIndex } from '#shared/search';
import { anyCharacter } from '../../support/any-character.ts';
import { namesFound, SETTINGS, tool } from './tools.ts';

const TOOLS = [
  tool('github_create_issue', 'Opens an issue in a repository.'),
  tool('github_list_issues', 'Lists the issues of a repository, the newest first.'),
  tool('mail_send', 'Sends a message to recipients.', {
    inputSchema: {
      type: 'object',
      properties: { recipient: { type: 'string', description: 'e-mail address' }, urgency: { enum: ['low', 'high'] } },
    },
  }),
  tool('db_query', 'Runs SQL.', { title: 'Query a database table' }),
  tool('weather', '', { annotations: { title: 'Forecast of a city' } }),
];

test.each<[query: string, first: string]>([
  ['open a new issue', 'github_create_issue'],
  ['list the issues', 'github_list_issues'],
  ['github_create_issue', 'github_create_issue'],
  ['email address', 'mail_send'],
  ['urgency', 'mail_send'],
  ['look into a table', 'db_query'],
  ['forecast', 'weather'],
])('a search by keywords for "%s" finds %s first', (query, first) => expect(namesFound(TOOLS, query)[0]).toBe(first));

test.each(['the tool', 'photosynthesis'])('a search by keywords for "%s" finds no tool', query =>
  expect(namesFound(TOOLS, query)).toEqual([]),
);

test('a search by keywords ranks the words of a tool name above the words of a description', () => {
  const tools = [tool('a', 'About invoices.'), tool('invoices', 'About something.')];
  expect(namesFound(tools, 'invoices')).toEqual(['invoices', 'a']);
});

test('a search by keywords keeps the order of tools with equal scores', () => {
  const tools = ['r', 'p', 'q'].map(name => tool(`x_${name}`, 'the same'));
  expect(namesFound(tools, 'same')).toEqual(['x_r', 'x_p', 'x_q']);
});

test('a search by keywords gives at most maxTools results', () => {
  const tools = Array.from({ length: 30 }, (_, at) => tool(`note_${at}`, 'x'.repeat(at)));
  expect(namesFound(tools, 'note', { maxTools: 3 })).toHaveLength(3);
});

test('a search by keywords ignores members of tool definitions with a wrong type', () => {
  const odd = [
    tool('odd', '', { title: 3, description: ['x'], annotations: null, inputSchema: { properties: [null, 7] } }),
    tool('even', '', { inputSchema: { properties: { a: null, b: true, c: { enum: 'x', items: 7 } } } }),
  ];
  expect(namesFound(odd, 'odd')).toEqual(['odd']);
});

test('a search by keywords also finds a tool by the names of nested parameters, one level deep', () => {
  const schema = {
    properties: {
      filter: { properties: { colour: { properties: { shade: {} } } } },
      tags: { items: { properties: { label: {} } } },
    },
  };
  const tools = [tool('find', '', { inputSchema: schema })];
  expect(['colour', 'label', 'shade'].map(word => namesFound(tools, word).length)).toEqual([1, 1, 0]);
});

const words = fc.constantFrom('issue', 'mail', 'table', 'note', 'city', 'file', 'user');
const definition = fc.record({ name: words, description: fc.array(words, { maxLength: 6 }).map(all => all.join(' ')) });

test('the result of a search by keywords does not depend on indexed tools that the search may not find', () => {
  fc.assert(
    fc.property(
      fc.array(definition, { minLength: 1 }),
      fc.array(fc.boolean()),
      fc.array(words),
      (all, chosen, query) => {
        const mine = all.filter((_, at) => chosen[at] === true);
        const index = new ToolIndex();
        const ids = all.map(each => index.add(each)).filter((_, at) => chosen[at] === true);
        const description = query.join(' ');
        const found = index.search({ description }, index.select(ids), SETTINGS).listHits();
        expect(found.map(({ position }) => mine[position]?.name)).toEqual(namesFound(mine, description));
      },
    ),
  );
});

test('a search by keywords accepts any text as a query', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (name, query) => {
      const found = namesFound([tool(name, query)], query);
      expect(found.length).toBeLessThanOrEqual(1);
    }),
  );
});
