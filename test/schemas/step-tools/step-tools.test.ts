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
  test('a workflow step calls a tool by the name that the gateway gives the tool', () => {
    expect(find('billing_pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
    expect(find('pay.now', ['billing', 'pay.now'])).toBe('billing pay.now');
  });

  test('a workflow step calls a tool by its backend and its own name', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
  });

  test('a workflow step calls the tool of its backend even if the gateway gives this name to another tool', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing.refund'], ['billing', 'refund', 'billing.pay'])).toBe(
      'billing refund',
    );
  });
});

describe('a step that names a backend calls no other', () => {
  test('a workflow step that names a backend calls no tool of another backend with the whole reference as its name', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'], ['billing', 'pay'])).toBe('billing pay');
  });

  test('a workflow step that names a backend calls no tool of another backend if the backend lacks the tool', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'])).toBeUndefined();
  });

  test('a workflow step means the longer of two backend names that begin alike', () => {
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'], ['notes.old', 'read', 'old_1'])).toBe(
      'notes.old read',
    );
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'])).toBeUndefined();
    expect(find('notes.read', ['notes', 'read', 'notes_1'])).toBe('notes read');
  });
});
