import { describe, expect, test } from 'vitest';
import { type CallableTools, findStepTool } from '../../../schemas/index.ts';

interface Offered {
  readonly backend: string;
  readonly originalName: string;
  /** As the gateway names it. */
  readonly name: string;
}

const BACKENDS = ['billing', 'notes', 'notes.old'];

function find(reference: string, ...offered: readonly (readonly [backend: string, own: string, name?: string])[]) {
  const all = offered.map(([backend, originalName, name = originalName]): Offered => ({ backend, originalName, name }));
  const tools: CallableTools<Offered> = {
    findByName: name => all.find(tool => tool.name === name),
    findByOriginalName: (backend, own) => all.find(tool => tool.backend === backend && tool.originalName === own),
  };
  const found = findStepTool(reference, BACKENDS, tools);
  return found && `${found.backend} ${found.originalName}`;
}

describe('a step calls a tool', () => {
  test('by the name that the gateway gives it', () => {
    expect(find('billing_pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
    expect(find('pay.now', ['billing', 'pay.now'])).toBe('billing pay.now');
  });

  test('by its backend and its own name', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
  });

  test('of its backend by a name that the gateway has given to another one', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing.refund'], ['billing', 'refund', 'billing.pay'])).toBe(
      'billing refund',
    );
  });
});

describe('a step that names a backend calls no other', () => {
  test('whose tool has the whole reference for a name', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'], ['billing', 'pay'])).toBe('billing pay');
  });

  test('also where the backend does not have the tool', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'])).toBeUndefined();
  });

  test('of two whose names begin alike, the longer name is meant', () => {
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'], ['notes.old', 'read', 'old_1'])).toBe(
      'notes.old read',
    );
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'])).toBeUndefined();
    expect(find('notes.read', ['notes', 'read', 'notes_1'])).toBe('notes read');
  });
});
