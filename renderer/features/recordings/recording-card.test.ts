import { expect, it } from 'vitest'
import type { RecordingState } from '../../../contract/rpc/index.ts'
import { shownState } from './recording-card.ts'

const asked: RecordingState = { state: 'asked', reason: null, since: null, bytes: 0, cut: null }
const recording: RecordingState = { state: 'recording', reason: null, since: 5, bytes: 7, cut: 9 }
const stopped: RecordingState = { state: 'stopped', reason: 'space', since: null, bytes: 0, cut: null }

it.each<[string, RecordingState | null, boolean, number, RecordingState]>([
  ['what is told of a recording, once the lamps say so', recording, true, 3, recording],
  ['a recording as soon as the lamps say so', asked, true, 3, { ...recording, since: null, bytes: 0, cut: null }],
  ['none before the lamps do', recording, true, 1, asked],
  ['none that goes on after the push', recording, false, 0, { ...asked, state: 'off' }],
  ['one that stopped, whatever the lamps say', stopped, true, 1, stopped],
  [
    'that of a hosted service, which tells the lamps alone',
    null,
    true,
    3,
    { ...recording, since: null, bytes: 0, cut: null },
  ],
])('shows %s', (_what, told, needRecord, status, shown) => {
  expect(shownState(told, { needRecord }, status)).toEqual(shown)
})
