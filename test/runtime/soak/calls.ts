/** Which calls a soak makes, how often, and the allowed outcomes of each. */
import type { Ending } from './clients/ending.ts';
import { echoText, type Mood } from './peers/moods.ts';

/** An allowed outcome: `answer`, the reason of a documented error, or a connection that breaks after a part of the response was sent. */
type Outcome =
  | 'answer'
  | 'timeout'
  | 'http_error'
  | 'protocol_error'
  | 'connection_failed'
  | 'broken'
  /** A response, or any error that names the backend, which is down at times. */
  | 'answer or away';

export interface CallKind {
  readonly backend: string;
  readonly mood: Mood;
  /** How many of ten thousand calls are of this kind. */
  readonly share: number;
  readonly outcomes: readonly Outcome[];
}

const kind = (backend: string, mood: Mood, share: number, ...outcomes: readonly Outcome[]): CallKind => ({
  backend,
  mood,
  share,
  outcomes,
});

export const CALL_KINDS: readonly CallKind[] = [
  kind('json', 'plain', 1900, 'answer'),
  kind('stateless', 'plain', 940, 'answer'),
  kind('stateless', 'late', 10, 'answer'),
  kind('stateless', 'ask', 45, 'answer'),
  kind('stateless', 'stall', 5, 'timeout'),
  kind('stream', 'events', 1500, 'answer'),
  kind('stream', 'twice', 150, 'answer'),
  kind('stream', 'foreign', 130, 'answer'),
  kind('stream', 'resume', 20, 'answer'),
  kind('pair', 'plain', 1200, 'answer'),
  kind('pair', 'late', 20, 'answer'),
  kind('pair', 'too-late', 5, 'timeout'),
  kind('pair', 'stall', 5, 'timeout'),
  kind('dying', 'plain', 900, 'answer or away'),
  kind('stalling', 'plain', 600, 'answer'),
  kind('stalling', 'late', 30, 'answer'),
  kind('stalling', 'too-late', 5, 'timeout'),
  kind('stalling', 'stall', 5, 'timeout'),
  kind('garbling', 'plain', 400, 'answer'),
  kind('garbling', 'garbage', 100, 'protocol_error'),
  kind('garbling', 'garbage-event', 100, 'protocol_error'),
  kind('garbling', 'end-stream', 100, 'protocol_error'),
  kind('garbling', 'refuse', 100, 'http_error'),
  kind('cutting', 'plain', 400, 'answer'),
  // The part of the response before the failure may have been sent or not.
  kind('cutting', 'cut', 50, 'broken', 'connection_failed'),
  kind('cutting', 'cut-stream', 50, 'connection_failed'),
  kind('forgetful', 'plain', 400, 'answer'),
  kind('forgetful', 'forget', 100, 'answer'),
  kind('forgetful', 'forget-always', 50, 'http_error'),
  kind('moving', 'plain', 200, 'answer'),
  kind('moving', 'redirect', 200, 'answer'),
  kind('moving', 'redirect-away', 80, 'http_error'),
  kind('asking', 'ask', 200, 'answer'),
];

const TOTAL = CALL_KINDS.reduce((sum, { share }) => sum + share, 0);

/** The kind of call for a number between 0 and 1. */
export function callKindAt(place: number): CallKind {
  let left = place * TOTAL;
  for (const each of CALL_KINDS) {
    left -= each.share;
    if (left < 0) return each;
  }
  return CALL_KINDS[0] as CallKind;
}

/** Why a call must not end in this way; undefined when it may. `client` is the client that got the elicitation, if there was one. */
export function violation(
  { backend, mood, outcomes }: CallKind,
  nonce: string,
  client: string,
  ending: Ending,
): string | undefined {
  switch (ending.kind) {
    case 'violation':
      return ending.message;
    case 'broken':
      return outcomes.includes('broken') ? undefined : `the connection broke: ${ending.message}`;
    case 'answer': {
      const wanted = echoText(backend, nonce, mood === 'ask' ? client : undefined);
      if (ending.text !== wanted) return `wanted the answer "${wanted}", got "${ending.text}"`;
      return outcomes.some(outcome => outcome.startsWith('answer')) ? undefined : `answered "${ending.text}"`;
    }
    case 'error': {
      const { code, message, reason } = ending;
      const isExpected = outcomes.includes('answer or away') || outcomes.some(outcome => outcome === reason);
      if (isExpected && message.includes(`backend "${backend}"`)) return undefined;
      return `error ${code} (${reason}) "${message}"`;
    }
  }
}
