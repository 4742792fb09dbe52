import { describe, expect, test } from 'vitest';
import { type CallableTools, findStepTool } from '#shared/plan';

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
  test('a workflow step can refer to a tool by the name that the gateway gives the tool', () => {
    expect(find('billing_pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
    expect(find('pay.now', ['billing', 'pay.now'])).toBe('billing pay.now');
  });

  test('a workflow step can refer to a tool by its backend and by the name that the backend gives it', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing_pay'])).toBe('billing pay');
  });

  test('a step that refers to billing.pay calls the tool of billing whose gateway name is billing.pay, rather than the tool pay of billing', () => {
    expect(find('billing.pay', ['billing', 'pay', 'billing.refund'], ['billing', 'refund', 'billing.pay'])).toBe(
      'billing refund',
    );
  });
});

describe('a step that names a backend calls no other', () => {
  test('a step that refers to billing.pay does not call a tool that another backend names billing.pay', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'], ['billing', 'pay'])).toBe('billing pay');
  });

  test('a step that names a backend which lacks the tool calls no tool of another backend', () => {
    expect(find('billing.pay', ['notes', 'billing.pay'])).toBeUndefined();
  });

  test('if the names of two backends fit a step reference, the longer name counts, such as notes.old rather than notes', () => {
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'], ['notes.old', 'read', 'old_1'])).toBe(
      'notes.old read',
    );
    expect(find('notes.old.read', ['notes', 'old.read', 'notes_1'])).toBeUndefined();
    expect(find('notes.read', ['notes', 'read', 'notes_1'])).toBe('notes read');
  });
});
