import type { RecordedFile, RecordingPosition } from '../../contract/rpc/index.ts'
import { makeFiles } from './fake-recordings.ts'
import { makeChannels, type Scenario } from './fake-state.ts'

/** Where the second of a line is: in the slice that is being written while something is recorded, in the newest file when little is there, else nowhere. */
export function fakeSecond(scenario: Scenario, began: number): RecordingPosition {
  const [newest, before] = makeFiles(makeChannels(began), began) as [RecordedFile, RecordedFile, ...RecordedFile[]]
  const { cid } = newest
  if (scenario === 'empty' || scenario === 'poor') return { found: 'unlinked' }
  if (scenario === 'recording') return { found: 'running', cid, cut: began + 19 * 60_000 }
  if (scenario === 'hosted') return { found: 'file', cid, file: newest, seconds: 751 }
  return { found: 'none', cid, before, after: newest }
}

/** What was said in a minute, as history gives it: the newest first, a line every 4 s. */
export const fakeMinute = (
  talk: readonly (readonly [accid: string, text: string])[],
  nickOf: (accid: string) => string,
  begin: number,
) =>
  talk
    .map(([from, attach], index) => ({
      msgid: `m${begin}-${index}`,
      at: begin + 3_000 + index * 4_000,
      from,
      type: 0,
      attach,
      removed: from === 'u_5',
      nick: nickOf(from),
      clientId: `m${index}`,
    }))
    .toReversed()
