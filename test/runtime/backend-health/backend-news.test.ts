/** How many log lines operators get about changes of backends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ThrottledLog } from '../../../runtime/gateway/backends/health/throttled-log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

interface Item {
  readonly backend: string;
  readonly name: string;
}

const itemsOf = (backend: string, count: number, from = 0): Item[] =>
  Array.from({ length: count }, (_, index) => ({ backend, name: `${backend}${from + index}` }));

/** The log, and the lines since the previous check. */
function listened() {
  let lines: string[] = [];
  const news = new ThrottledLog<Item>({
    logItem: ({ name }) => void lines.push(name),
    logRest: (backend, count) => void lines.push(`${count} more of ${backend}`),
  });
  const since = (...update: Parameters<typeof news.update>) => {
    lines = [];
    news.update(...update);
    return lines;
  };
  return since;
}

const names = (items: readonly Item[]) => items.map(({ name }) => name);

test('the log names each invalid item of a backend once, and once more when the item disappears and comes back', () => {
  const told = listened();
  const [a, b] = itemsOf('x', 2) as [Item, Item];
  expect(told([a])).toEqual(['x0']);
  expect(told([b, a])).toEqual(['x1']);
  expect(told([b, { ...a }])).toEqual([]);
  expect(told([b])).toEqual([]);
  expect(told([b, a])).toEqual(['x0']);
});

test('the log names at most 20 invalid items of a backend per minute, and counts all further invalid items in one line', () => {
  const told = listened();
  const first = itemsOf('x', 100);
  expect(told(first, [{ backend: 'x', count: 400 }])).toEqual([...names(first.slice(0, 20)), '480 more of x']);
  expect(told(itemsOf('x', 100, 100), [{ backend: 'x', count: 400 }])).toEqual([]);
  vi.advanceTimersByTime(59_999);
  expect(told(itemsOf('x', 100, 200))).toEqual([]);
  vi.advanceTimersByTime(1);
  const next = itemsOf('x', 100, 300);
  expect(told(next)).toEqual([...names(next.slice(0, 20)), '80 more of x']);
});

test('the log names invalid items beyond the limit of lines per minute in later minutes, as long as these items exist', () => {
  const told = listened();
  const items = itemsOf('x', 45);
  expect(told(items)).toHaveLength(21);
  vi.advanceTimersByTime(60_000);
  expect(told(items)).toEqual([...names(items.slice(20, 40)), '5 more of x']);
  vi.advanceTimersByTime(60_000);
  expect(told(items)).toEqual(names(items.slice(40)));
  vi.advanceTimersByTime(60_000);
  expect(told(items)).toEqual([]);
});

test('the log counts the unnamed invalid items of a backend only in a check that also names a new invalid item', () => {
  const told = listened();
  const items = itemsOf('x', 2);
  const more = [
    { backend: 'x', count: 7 },
    { backend: 'y', count: 7 },
  ];
  expect(told(items, more)).toEqual(['x0', 'x1', '7 more of x']);
  vi.advanceTimersByTime(60_000);
  expect(told(items, more)).toEqual([]);
});

test('the invalid items of one backend do not use up the log lines of another backend', () => {
  const told = listened();
  expect(told([...itemsOf('x', 30), ...itemsOf('y', 1)])).toEqual([...names(itemsOf('x', 20)), 'y0', '10 more of x']);
});
