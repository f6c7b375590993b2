import { expect, it } from 'vitest'
import type { LoggedAction, RoomAction } from '../../../contract/rpc/index.ts'
import { undoneBy } from './room-measures.ts'

const entry = (id: number, what: LoggedAction, undoes: number | null = null): RoomAction => ({
  id,
  what,
  undoes,
  roomid: 7,
  at: id,
  operator: 'ana',
  why: '',
  result: 'done',
  code: 200,
  detail: '',
  failure: null,
  operatorName: '',
  targetName: '',
  line: null,
})
const timed = (seconds: number): LoggedAction => ({ kind: 'temporaryMute', target: 'rvb', seconds })
const muted = (on: boolean): LoggedAction => ({ kind: 'mute', target: 'rvb', on })

it('an undo tells what it took back, from the log or from itself; another measure took nothing back', () => {
  const log = [entry(3, timed(540), 2), entry(2, timed(3600)), entry(1, timed(600))]
  expect(log.map((each) => undoneBy(each, log))).toEqual([timed(3600), undefined, undefined])
  expect(undoneBy(entry(9, muted(false), 8), log)).toEqual(muted(true))
  expect(undoneBy(entry(9, timed(0), 8), log)).toBeUndefined()
})
