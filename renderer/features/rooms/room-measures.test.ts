import { describe, expect, it } from 'vitest'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import type { LoggedAction, Measure, RoomAction } from '../../../contract/rpc/index.ts'
import type { RoomNotice } from './room-log.ts'
import {
  guardOf,
  holdsSince,
  inverseOf,
  isAbout,
  isAboutPeople,
  isAgainst,
  muteFor,
  undoes,
  undoneBy,
} from './room-measures.ts'

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

const notice = (id: number, change: Partial<RoomNotice> = {}): RoomNotice => ({
  id,
  operator: 'mei',
  target: ['rvb'],
  names: [],
  why: '',
  seconds: null,
  expired: false,
  stillMuted: false,
  ...change,
})

describe('the undo of a measure', () => {
  it.each<[Measure]>([
    [{ kind: 'mute', target: 'rvb', on: true }],
    [{ kind: 'blacklist', target: 'rvb', on: false }],
    [{ kind: 'admin', target: 'rvb', on: true }],
    [{ kind: 'ordinary', target: 'rvb', on: false }],
    [{ kind: 'muteRoom', on: true }],
    [{ kind: 'robots', accids: ['r1'], on: true }],
  ])('is the same the other way round: %j', (measure) => {
    expect(inverseOf(measure)).toEqual({ ...measure, on: !('on' in measure && measure.on) })
  })

  it.each([
    [undefined, 0],
    [0, 0],
    [-500, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
  ])('of a timed mute is what %s ms leave of the one before, in whole seconds: %i', (rest, seconds) => {
    expect(inverseOf(muteFor('rvb', 60), rest)).toEqual({ kind: 'temporaryMute', target: 'rvb', seconds })
  })

  it.each<[Measure]>([
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 0 }],
    [{ kind: 'openRoom', on: false }],
    [{ kind: 'slowMode', seconds: 5 }],
    [{ kind: 'announce', text: 'x' }],
    [{ kind: 'queueClear' }],
  ])('is none of others: %j', (measure) => {
    expect(inverseOf(measure)).toBeNull()
  })
})

it('a mute without a length lasts until it is lifted', () => {
  expect([muteFor('rvb', 0), muteFor('rvb', 1)]).toEqual([
    { kind: 'mute', target: 'rvb', on: true },
    { kind: 'temporaryMute', target: 'rvb', seconds: 1 },
  ])
})

describe('a notice', () => {
  it.each<[Measure, keyof typeof roomNotices, boolean | undefined]>([
    [{ kind: 'mute', target: 'rvb', on: true }, 'muted', true],
    [{ kind: 'mute', target: 'rvb', on: true }, 'unmuted', false],
    [{ kind: 'mute', target: 'rvb', on: false }, 'unmuted', true],
    [{ kind: 'mute', target: 'rvb', on: false }, 'muted', false],
    [{ kind: 'mute', target: 'kim', on: true }, 'unmuted', undefined],
    [{ kind: 'mute', target: 'rvb', on: true }, 'unblacklisted', undefined],
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 60 }, 'mutedForAWhile', true],
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 60 }, 'muteForAWhileLifted', false],
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 0 }, 'muteForAWhileLifted', true],
    [{ kind: 'blacklist', target: 'rvb', on: true }, 'unblacklisted', false],
    [{ kind: 'admin', target: 'rvb', on: true }, 'adminUnset', false],
    [{ kind: 'ordinary', target: 'rvb', on: true }, 'ordinarySet', true],
    [{ kind: 'muteRoom', on: true }, 'roomUnmuted', false],
    [{ kind: 'muteRoom', on: false }, 'roomUnmuted', true],
    [{ kind: 'slowMode', seconds: 5 }, 'updated', undefined],
  ])('says whether a measure holds since: %j after %s: %s', (measure, name, holds) => {
    expect(holdsSince(notice(roomNotices[name]), measure)).toBe(holds)
  })

  it('is about people where it changes the blacklist, mutes or roles', () => {
    const names = Object.entries(roomNotices).flatMap(([name, id]) => (isAboutPeople(id) ? [name] : []))
    expect(names.toSorted()).toEqual(
      [
        'blacklisted',
        'unblacklisted',
        'muted',
        'unmuted',
        'mutedForAWhile',
        'muteForAWhileLifted',
        'adminSet',
        'adminUnset',
        'ordinarySet',
        'ordinaryUnset',
      ].toSorted(),
    )
  })

  it('is of a measure against somebody where somebody took it against them', () => {
    expect(isAgainst(notice(roomNotices.blacklisted), 'rvb')).toBe(true)
    expect(isAgainst(notice(roomNotices.muteForAWhileLifted), 'rvb')).toBe(true)
    expect(isAgainst(notice(roomNotices.muteForAWhileLifted, { expired: true }), 'rvb')).toBe(false)
    expect(isAgainst(notice(roomNotices.blacklisted), 'kim')).toBe(false)
    expect(isAgainst(notice(roomNotices.left), 'rvb')).toBe(false)
    expect(isAgainst(notice(roomNotices.muteForAWhileLifted + 1), 'rvb')).toBe(false)
  })
})

describe('two measures', () => {
  it.each<[Measure, LoggedAction, boolean]>([
    [{ kind: 'mute', target: 'rvb', on: false }, muted(true), true],
    [{ kind: 'mute', target: 'rvb', on: true }, muted(false), true],
    [{ kind: 'mute', target: 'rvb', on: true }, muted(true), false],
    [{ kind: 'mute', target: 'kim', on: false }, muted(true), false],
    [{ kind: 'blacklist', target: 'rvb', on: false }, muted(true), false],
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 0 }, timed(60), true],
    [{ kind: 'temporaryMute', target: 'rvb', seconds: 5 }, timed(60), false],
    [{ kind: 'robots', accids: ['a', 'b'], on: false }, { kind: 'robots', accids: ['a', 'b'], on: true }, true],
    [{ kind: 'robots', accids: ['a'], on: false }, { kind: 'robots', accids: ['a', 'b'], on: true }, false],
    [{ kind: 'muteRoom', on: false }, { kind: 'muteRoom', on: true }, true],
  ])('are opposites where one takes back the other: %j after %j: %s', (measure, action, isOpposite) => {
    expect(undoes(measure, action)).toBe(isOpposite)
  })
})

it('a measure is about a line, or about whoever said it', () => {
  const line = { msgid: '3', from: 'rvb' }
  expect(isAbout({ kind: 'removeLine', target: 'rvb', msgid: '3' }, line)).toBe(true)
  expect(isAbout({ kind: 'removeLine', target: 'rvb', msgid: '4' }, line)).toBe(false)
  expect(isAbout({ kind: 'mute', target: 'rvb', on: true }, line)).toBe(true)
  expect(isAbout({ kind: 'mute', target: 'kim', on: true }, line)).toBe(false)
  expect(isAbout({ kind: 'muteRoom', on: true }, line)).toBe(false)
})

it('somebody of the role of a creator is spared as one, before their role of an admin', () => {
  expect(guardOf('boss', 'host', 'host', new Map([['boss', 1]]))).toBe('creator')
  expect(guardOf('host', 'mei', 'host', new Map([['host', 2]]))).toBe('creator')
  expect(guardOf('mei', 'mei', 'mei', new Map())).toBe('self')
  expect(guardOf('lee', 'host', 'host', new Map([['lee', -1]]))).toBeNull()
})
