import { describe, expect, it } from 'vitest'
import type { Measure } from '../../../contract/rpc/index.ts'
import {
  lineOf,
  lineOfHistory,
  maxLines,
  nickIn,
  oldestKept,
  rowsOf,
  withHeld,
  withLines,
  withRemoved,
  type RoomLine,
} from './room-log.ts'
import { guardOf, inverseOf, muteFor } from './room-measures.ts'
import { usualPresets } from '../keys/room-presets.ts'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import { spoken } from '../../format/languages.ts'
import { roomWords } from './words.ts'

const roomEn = spoken(roomWords, 'en')
const roomZh = spoken(roomWords, 'zh')

const all = { text: '', kind: 'all', accid: null } as const
const push = (msgid: number, from: string, attach: string, type = 0) =>
  lineOf({
    t: 'roomMessage',
    roomid: 1,
    msgid: String(msgid),
    at: msgid,
    from,
    fromNick: '',
    fromClientType: 'WEB',
    type,
    attach,
  })
const notice = (msgid: number, id: number, target: string): RoomLine =>
  push(
    msgid,
    target,
    JSON.stringify({
      id,
      data: { operator: 'mei', opeNick: 'Mei', target: [target], tarNick: ['T'], ext: 'why', muteDuration: 60 },
    }),
    5,
  )

const push7 = {
  t: 'roomMessage',
  roomid: 1,
  msgid: '7',
  at: 7,
  from: 'ana',
  fromNick: '',
  fromClientType: 'WEB',
  type: 0,
  attach: 'x',
} as const

describe('the lines of a room', () => {
  it('are 10,000 at most, in order, each once', () => {
    let lines: readonly RoomLine[] = []
    for (let n = 1; n <= maxLines + 5; n++) lines = withLines(lines, [push(n, 'ana', String(n))])
    expect([lines.length, lines[0]?.msgid, lines.at(-1)?.msgid]).toEqual([maxLines, '6', String(maxLines + 5)])
    const late = withLines([push(1, 'a', 'one'), push(3, 'a', 'three')], [push(3, 'a', 'again'), push(2, 'a', 'two')])
    expect(late.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  })

  it('stay readable when they are deleted, and a history that comes after does not bring them back', () => {
    const removed = withRemoved([push(1, 'ana', 'spam')], '1', { by: 'mei', why: 'advertising', at: 5 })
    expect(withLines(removed, [push(1, 'ana', 'spam')])[0]).toMatchObject({ text: 'spam', removed: { by: 'mei' } })
  })

  it('that waited stand where they were let through, and tell when they were said', () => {
    const lines = withLines([push(1, 'ana', 'one'), push(5, 'ana', 'five')], [{ ...push(2, 'lee', 'late'), at: 6 }])
    expect(withHeld(lines, '2', 2).map(({ msgid, at, heldAt }) => [msgid, at, heldAt])).toEqual([
      ['1', 1, undefined],
      ['5', 5, undefined],
      ['2', 6, 2],
    ])
    const said = { msgid: '2', at: 6, from: 'lee', type: 0, attach: 'late', removed: false, nick: 'Lee' }
    expect(lineOfHistory({ ...said, heldAt: 2 })).toMatchObject({
      at: 6,
      heldAt: 2,
      nick: 'Lee',
      notice: null,
      removed: null,
    })
    expect(lineOfHistory(said)).not.toHaveProperty('heldAt')
  })

  it('name somebody as they spoke, else as they are listed, else as a notice named who did something', () => {
    const muted = lineOf({
      ...push7,
      from: 'mei',
      fromNick: 'Mei',
      type: 5,
      attach: JSON.stringify({ id: 318, data: { operator: 'mei', opeNick: 'Mei' } }),
    })
    expect(nickIn([muted], [], 'mei')).toBe('Mei')
    expect(nickIn([muted], [{ accid: 'mei', nick: 'Mei M' }], 'mei')).toBe('Mei M')
    expect(
      nickIn(
        [muted, lineOf({ ...push7, msgid: '8', from: 'mei', fromNick: 'May' })],
        [{ accid: 'mei', nick: 'Mei M' }],
        'mei',
      ),
    ).toBe('May')
    expect(nickIn([muted], [], 'lee')).toBe('lee')
  })

  it('fold more than three comings and goings in a row, and nothing else', () => {
    const come = [1, 2, 3, 4].map((n) => notice(n, 301, `p${n}`))
    expect(rowsOf([push(0, 'a', 'x'), ...come, push(9, 'a', 'y')], all).map(({ folded }) => folded)).toEqual([1, 4, 1])
    expect(rowsOf(come.slice(1), all)).toHaveLength(3)
    expect(
      rowsOf(
        [1, 2, 3, 4].map((n) => notice(n, 305, 'p')),
        all,
      ),
    ).toHaveLength(4)
  })

  it('give the same rows again for what did not change, so that only new ones are drawn', () => {
    const old = [
      push(1, 'a', 'x'),
      push(2, 'a', 'y'),
      ...[3, 4, 5, 6].map((n) => notice(n, 301, `p${n}`)),
      push(7, 'a', 'z'),
    ]
    const before = rowsOf(old, all)
    const next = withRemoved([...old.slice(1), push(8, 'b', 'new')], '7', { by: 'mei', why: '', at: 9 })
    const after = rowsOf(next, all, before)
    expect(after.map((row) => before.includes(row))).toEqual([true, true, false, false])
    expect(after).toEqual(rowsOf(next, all))
    expect(rowsOf([], all, before)).toEqual([])
    expect(rowsOf(next, { ...all, text: 'new' }, before).map(({ key }) => key)).toEqual(['8'])
  })

  it('are put in together as one by one, and the oldest go', () => {
    const many = Array.from({ length: maxLines + 30 }, (_, n) => push(n, 'ana', String(n)))
    const together = withLines(many.slice(0, maxLines), many.slice(maxLines))
    expect(together).toEqual(many.slice(-maxLines))
    const late = withLines(many.slice(0, 10), [many[12]!, many[11]!, many[5]!])
    expect(late.map(({ msgid }) => msgid)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '11', '12'])
  })

  it('are found by text, person and what was moderated', () => {
    const lines = withRemoved(
      [push(1, 'ana', 'Hello'), push(2, 'mei', '你好 hello'), notice(3, 314, 'ana'), notice(4, 301, 'lee')],
      '2',
      {
        by: 'x',
        why: '',
        at: null,
      },
    )
    const found = (filter: Partial<typeof all> & object) => rowsOf(lines, { ...all, ...filter }).map(({ key }) => key)
    expect(found({ text: ' HELLO ' } as never)).toEqual(['1', '2'])
    expect(found({ accid: 'ana' } as never)).toEqual(['1', '3'])
    expect(found({ kind: 'moderated' } as never)).toEqual(['2', '3'])
    expect(found({ kind: 'lines' } as never)).toEqual(['1', '2'])
  })

  it('read notices, JSON bodies, and what is neither', () => {
    expect(notice(1, 314, 'ana').notice).toEqual({
      id: 314,
      operator: 'Mei',
      target: ['ana'],
      names: ['T'],
      why: 'why',
      seconds: 60,
      expired: false,
      stillMuted: false,
    })
    expect(
      push(1, 'a', '{"id":315,"data":{"operator":"mei","muteDuration":0,"expired":true}}', 5).notice,
    ).toMatchObject({ id: 315, expired: true })
    expect(push(1, 'a', '{"msg":"inside"}').text).toBe('inside')
    expect(push(1, 'a', '{"a":1}').text).toBe('{"a":1}')
    expect(push(1, 'a', '[1]', 5).notice).toBeNull()
    expect(push(1, 'a', 'x'.repeat(10_000)).text).toHaveLength(4096)
  })
})

describe('measures', () => {
  it('are taken back by their own inverse and no other', () => {
    expect(usualPresets.map((seconds) => inverseOf(muteFor('ana', seconds)))).toEqual([
      ...[1, 2, 3, 4, 5].map(() => ({ kind: 'temporaryMute', target: 'ana', seconds: 0 })),
      { kind: 'mute', target: 'ana', on: false },
    ])
    expect(inverseOf({ kind: 'blacklist', target: 'ana', on: true })).toEqual({
      kind: 'blacklist',
      target: 'ana',
      on: false,
    })
    const forGood: Measure[] = [
      { kind: 'removeLine', target: 'ana', msgid: '1' },
      { kind: 'queueTake' },
      { kind: 'temporaryMute', target: 'ana', seconds: 0 },
    ]
    expect(forGood.map(inverseOf)).toEqual([null, null, null])
  })

  it('spare the creator, admins and oneself, and say why', () => {
    const roles = new Map([
      ['mei', 2],
      ['lee', 0],
    ])
    expect(['ana', 'host', 'mei', 'lee', 'stranger'].map((accid) => guardOf(accid, 'ana', 'host', roles))).toEqual([
      'self',
      'creator',
      'admin',
      null,
      null,
    ])
  })
})

it.each(Object.entries(roomNotices))('has words in both languages for the notice %s', (_name, id) => {
  for (const words of [roomEn, roomZh]) expect(words.room.notice).toHaveProperty(String(id))
})

describe('what is found among the lines of a room', () => {
  const lines = [
    push(1, 'ana', 'Hello'),
    notice(2, 301, 'lee'),
    notice(3, 302, 'lee'),
    notice(4, 303, 'lee'),
    { ...push(5, 'mei', 'x'), nick: 'Kestrel' },
  ]
  const found = (filter: object): string[] => rowsOf(lines, { ...all, ...filter }).map(({ key }) => key)

  it('is by the name of a person, in large or small letters, and by a part of their account', () => {
    expect(found({ text: 'kESTREL' })).toEqual(['5'])
    expect(found({ text: 'me' })).toEqual(['5'])
    expect(found({ text: ' ANA ' })).toEqual(['1'])
    expect(found({ text: 'anna' })).toEqual([])
  })

  it('has no coming and going among what was moderated', () => {
    expect(found({ kind: 'moderated' })).toEqual(['4'])
  })

  it('is by or about an account, and what fits all that is asked for', () => {
    expect(found({ accid: 'lee' })).toEqual(['2', '3', '4'])
    expect(found({ accid: 'lee', kind: 'moderated' })).toEqual(['4'])
    expect(found({ accid: 'ana', text: 'hell' })).toEqual(['1'])
    expect(found({ accid: 'ana', text: 'other' })).toEqual([])
  })
})

describe('the lines that are kept', () => {
  it('of a history that says so are deleted, also where they were read before', () => {
    const past = { msgid: '1', at: 1, from: 'ana', type: 0, attach: 'spam', nick: 'Ana' }
    const lines = withLines([push(1, 'ana', 'spam'), push(2, 'ana', 'b')], [lineOfHistory({ ...past, removed: true })])
    expect(lines[0]?.removed).toEqual({ by: '', why: '', at: null })
    expect(lineOfHistory({ ...past, removed: false }).removed).toBeNull()
  })

  it('that are deleted or let through are those of that number only', () => {
    const lines = [push(1, 'a', 'x'), push(2, 'a', 'y')]
    const removed = { by: 'mei', why: '', at: 3 }
    expect(withRemoved(lines, '2', removed).map((line) => line.removed)).toEqual([null, removed])
    expect(withHeld(lines, '2', 9).map(({ heldAt }) => heldAt)).toEqual([undefined, 9])
  })

  it('begin for the history with the first one that it has', () => {
    expect(oldestKept([notice(1, 301, 'a'), notice(2, 317, 'a'), notice(3, 305, 'a'), push(4, 'a', 'x')])?.msgid).toBe(
      '3',
    )
    expect(oldestKept([notice(1, 301, 'a'), push(4, 'a', 'x')])?.msgid).toBe('4')
    expect(oldestKept([notice(1, 302, 'a')])).toBeUndefined()
  })
})

it('a notice has a reason of 200 characters, and only what is text in its place', () => {
  const data = {
    operator: 7,
    opeNick: '',
    target: ['a', 7],
    tarNick: ['A', null],
    ext: 'x'.repeat(300),
    muteDuration: '5',
  }
  const read = push(1, 'a', JSON.stringify({ id: 314, data: { ...data, expired: 1, stillMuted: true } }), 5).notice
  expect(read).toEqual({
    id: 314,
    operator: '',
    target: ['a'],
    names: ['A'],
    why: 'x'.repeat(200),
    seconds: null,
    expired: false,
    stillMuted: true,
  })
  expect(push(1, 'a', '{"id":314,"data":{"operator":"mei","opeNick":" "}}', 5).notice?.operator).toBe('mei')
  expect(push(1, 'a', '{"id":314,"data":{}}', 0).notice).toBeNull()
})
