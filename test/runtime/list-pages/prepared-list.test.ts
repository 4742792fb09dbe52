import { describe, expect, test } from 'vitest';
import { PAGE_SIZE, PreparedList } from '../../../runtime/gateway/offers/prepared-list.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';

const item = (key: string) => ({ key, json: JSON.stringify({ name: key }) });
const many = (count: number) => Array.from({ length: count }, (_, i) => item(`t${String(i).padStart(5, '0')}`));

function walk(list: PreparedList): string[] {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = JSON.parse(list.page(cursor)) as { tools: { name: string }[]; nextCursor?: string };
    expect(page.tools.length).toBeLessThanOrEqual(PAGE_SIZE);
    names.push(...page.tools.map(tool => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

describe('prepared lists', () => {
  test('the gateway sends an empty list as one page without a cursor', () => {
    expect(new PreparedList('tools', []).page()).toBe('{"tools":[]}');
  });

  test('the gateway sorts the items of a list by their keys', () => {
    expect(new PreparedList('tools', [item('b'), item('a'), item('B')]).page()).toBe(
      '{"tools":[{"name":"B"},{"name":"a"},{"name":"b"}]}',
    );
  });

  test('every page of a list for the stateless revision begins with the members that only this revision has, such as ttlMs', () => {
    const list = new PreparedList('tools', many(PAGE_SIZE + 1));
    expect(JSON.parse(list.page(undefined, '"ttlMs":1'))).toEqual({ ttlMs: 1, ...JSON.parse(list.page()) });
    const { nextCursor } = JSON.parse(list.page()) as { nextCursor: string };
    expect(list.page(nextCursor, '"ttlMs":1')).toBe(list.page(nextCursor).replace('{', '{"ttlMs":1,'));
  });

  test.each([1, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 3 * PAGE_SIZE + 7])(
    'a client that follows the cursors reads all of %i items',
    count => {
      const items = many(count);
      expect(walk(new PreparedList('tools', items.toReversed()))).toEqual(items.map(({ key }) => key));
    },
  );

  test.each<[string, number[], number[]]>([
    ['that fill a page', [2 ** 21, 2 ** 21], [2]],
    ['of which the last does not fit', [2 ** 21, 2 ** 21, 1], [2, 1]],
    ['that are small after a large item', [2 ** 22 - 1, 1, 1, 1], [2, 2]],
    ['each larger than a page', [2 ** 22 + 1, 2 ** 22 + 1, 1], [1, 1, 1]],
    ['that exceed the longest string together', new Array(600).fill(2 ** 20), new Array(150).fill(4)],
  ])(
    'a page of a list has items of at most 4 Mi characters together, or a single larger item: items %s',
    (_, lengths, expected) => {
      const text = 'x'.repeat(2 ** 22 + 1);
      const items = lengths.map((length, i) => ({ key: String(i).padStart(5, '0'), json: text.slice(0, length) }));
      const list = new PreparedList('tools', items);
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = list.page(cursor);
        // The items are not JSON: each begins where a page does or after a comma.
        seen.push(page.slice(0, page.lastIndexOf(']')).split(',').length);
        cursor = /"nextCursor":"([^"]+)"\}$/.exec(page.slice(-200))?.[1];
      } while (cursor !== undefined);
      expect(seen).toEqual(expected);
    },
  );

  test('a cursor of a list of the gateway stays valid when the list changes between two pages', () => {
    const { nextCursor } = JSON.parse(new PreparedList('tools', many(PAGE_SIZE + 5)).page()) as { nextCursor: string };
    const without = many(PAGE_SIZE + 5).filter(({ key }) => key !== `t${String(PAGE_SIZE - 1).padStart(5, '0')}`);
    const page = JSON.parse(new PreparedList('tools', without).page(nextCursor)) as { tools: { name: string }[] };
    expect(page.tools).toHaveLength(5);
  });

  test.each(['', 'x', '!!!!', Buffer.from('t00001').toString('base64url')])(
    'the gateway refuses the list cursor %j',
    cursor => {
      expect(() => new PreparedList('tools', many(3)).page(cursor)).toThrow(WireError);
    },
  );

  test('two lists of the gateway count as equal if clients see the same content', () => {
    const list = new PreparedList('tools', [item('a')]);
    expect(list.equals(new PreparedList('tools', [item('a')]))).toBe(true);
    expect(list.equals(new PreparedList('tools', [{ key: 'a', json: '{"name":"a","description":"new"}' }]))).toBe(
      false,
    );
    expect(list.equals(new PreparedList('tools', []))).toBe(false);
  });
});
