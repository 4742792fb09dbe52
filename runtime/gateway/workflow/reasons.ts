/** The texts of the reasons of failures. */
const TEXTS: { readonly [reason: string]: string } = {
  tool_error: 'the tool reported a failure',
  call_failed: 'the tool could not be called',
  timeout: 'it took too long',
  template: 'a template could not be rendered',
  collection: 'the collection is not a list, or has too many items',
  output: 'the output could not be built',
  declined: 'the person declined to answer',
  dismissed: 'the person did not answer',
  cannot_ask: 'a person has to answer a question, and this client cannot show questions',
  stopped: 'it was stopped',
  too_large: 'an answer is too large',
  refused: 'the backend refused the call',
  invalid_answer: 'the answer of the person cannot be used',
  unknown_backend: 'the backend does not exist any more',
};

export function formatReason(reason: string): string {
  return TEXTS[reason] ?? `the tool could not be called (${reason})`;
}
