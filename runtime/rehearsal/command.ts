/** `lintel-runtime rehearse`: runs workflows by scripts. Nothing is served, and without `live` nothing is connected to. */
import type { Readable, Writable } from 'node:stream';
import type { RehearsalRecord, RehearsalRequest, RehearsalScript } from '#schemas';
import { OptionError } from '#util';
import { createLogger } from '../observe/log.ts';
import { readAll, writeLine } from '../standard-streams.ts';
import { LiveBackends } from './live-backends.ts';
import { rehearse } from './rehearse.ts';
import { type LiveCall, ScriptedActors } from './scripted-actors.ts';

/**
 * Reads the question from `input` to its end and writes the record of each run as a line to `output`.
 *
 * @throws OptionError when the question is none
 */
export async function rehearseAll(input: Readable, output: Writable): Promise<void> {
  const { runs, live } = questionIn(await readAll(input));
  const backends = live && new LiveBackends(live, createLogger('silent'));
  try {
    for (const script of runs) {
      const record = await recordRehearsal(
        script,
        backends && (call => backends.call(script.live?.[`${call.backend}.${call.tool}`], call)),
      );
      await writeLine(output, JSON.stringify(record));
    }
  } finally {
    await backends?.close();
  }
}

async function recordRehearsal(script: RehearsalScript, live: LiveCall | undefined): Promise<RehearsalRecord> {
  const actors = new ScriptedActors(script, live);
  const { cancelAfterMs } = script;
  const { run, changes, durationMs } = await rehearse(script.plan, script.input, actors, { cancelAfterMs });
  const { status, output, error, failure, outcomes } = run;
  return {
    status,
    output,
    ...(error !== undefined && { error }),
    failure,
    outcomes,
    calls: actors.calls,
    questions: actors.questions,
    changes,
    durationMs,
  };
}

function questionIn(text: string): RehearsalRequest {
  try {
    const request = JSON.parse(text) as RehearsalRequest;
    if (Array.isArray(request.runs)) return request;
  } catch {
    // Said below: the text may hold credentials and is not repeated.
  }
  throw new OptionError('rehearse reads {"runs": […]} from standard input; `lintel test` writes it');
}
