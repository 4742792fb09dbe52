import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type WaitingSession, WaitingSessions } from '../../../runtime/gateway/sessions/waiting-sessions.ts';

class Session implements WaitingSession {
  readonly share: string;
  waits: number;
  /** Sessions that delay nothing. */
  idle = 0;
  constructor(share: string, waits = 0) {
    this.share = share;
    this.waits = waits;
  }
  makeRoom(): boolean {
    if (this.idle === 0) return false;
    this.idle--;
    this.waits--;
    return true;
  }
}

/** Makes the session wait as often as the limits allow, at most `upTo` times; returns how often. */
function fill(waiting: WaitingSessions, session: Session, upTo = Number.POSITIVE_INFINITY): number {
  let count = 0;
  while (count < upTo && waiting.hasRoom(session)) {
    session.waits++;
    count++;
  }
  return count;
}

describe('sessions that wait', () => {
  test('the waits for clients and tasks in all sessions of one caller together have a limit', () => {
    const waiting = new WaitingSessions();
    const [first, second, other] = [new Session('ann'), new Session('ann'), new Session('bob')];
    expect(fill(waiting, first, 150)).toBe(150);
    expect(fill(waiting, second)).toBe(50);
    expect(fill(waiting, first)).toBe(0);
    expect(fill(waiting, other)).toBe(200);
  });

  test('the waits for clients and tasks in the sessions of all callers together have a limit', () => {
    const waiting = new WaitingSessions();
    const sessions = ['a', 'b', 'c', 'd', 'e', 'f'].map(share => new Session(share));
    expect(sessions.map(session => fill(waiting, session))).toEqual([200, 200, 200, 200, 200, 0]);
  });

  test('a session at the limit of waits for clients and tasks may wait again when earlier waits have ended', () => {
    const waiting = new WaitingSessions();
    const session = new Session('ann');
    fill(waiting, session);
    session.waits = 199;
    expect(fill(waiting, session)).toBe(1);
    session.waits = 0;
    expect(fill(waiting, session)).toBe(200);
  });

  test('a wait beyond the limit of one caller ends only waits of this caller that block nothing, a wait beyond the common limit those of any caller', () => {
    const waiting = new WaitingSessions();
    const [own, other] = [new Session('ann'), new Session('bob')];
    for (const session of [other, own]) {
      expect(fill(waiting, session)).toBe(200);
      session.idle = 2;
    }
    expect(fill(waiting, own)).toBe(2);
    expect([own.idle, other.idle]).toEqual([0, 2]);
    for (const share of ['c', 'd', 'e']) expect(fill(waiting, new Session(share))).toBe(200);
    expect(fill(waiting, own)).toBe(0);
    const late = new Session('f');
    expect(fill(waiting, late)).toBe(2);
    expect([own.waits, other.waits, late.waits]).toEqual([200, 198, 2]);
  });

  test('a wait beyond the limit of all callers ends waits that block nothing, first of the callers with the most waits', () => {
    const waiting = new WaitingSessions();
    const honest = new Session('honest');
    expect(fill(waiting, honest, 1)).toBe(1);
    const many = ['a', 'b', 'c', 'd'].map(share => new Session(share));
    expect(many.map(session => fill(waiting, session))).toEqual([200, 200, 200, 200]);
    const last = new Session('e');
    expect(fill(waiting, last, 199)).toBe(199);
    for (const session of [honest, ...many, last]) session.idle = session.waits;
    expect(fill(waiting, new Session('late'), 4)).toBe(4);
    expect(honest.waits).toBe(1);
    expect(many.map(({ waits }) => waits)).toEqual([199, 199, 199, 199]);
  });

  test('the limit of waits for clients and tasks counts only waits that have not ended, after any sequence of waits', () => {
    const steps = fc.array(
      fc.record({ at: fc.nat({ max: 7 }), ended: fc.nat({ max: 120 }), begun: fc.nat({ max: 250 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(steps, list => {
        const waiting = new WaitingSessions();
        const sessions = Array.from({ length: 8 }, (_, at) => new Session(`owner ${at % 6}`));
        for (const { at, ended, begun } of list) {
          const session = sessions[at] as Session;
          session.waits -= Math.min(ended, session.waits);
          const sum = (of: readonly Session[]) => of.reduce((total, { waits }) => total + waits, 0);
          const own = sum(sessions.filter(({ share }) => share === session.share));
          const room = Math.min(begun, 200 - own, 1_000 - sum(sessions));
          expect(fill(waiting, session, begun)).toBe(Math.max(0, room));
        }
      }),
      { seed: 17, numRuns: 50 },
    );
  });
});
