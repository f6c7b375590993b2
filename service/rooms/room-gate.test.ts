import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { RoomMemberTable } from '../storage/room-tables.ts'
import { createRoomGate, maxChanges, maxEntries, maxTold } from './room-gate.ts'
import { nobody, type Inside, type Room } from './room.ts'

type Wanted = Parameters<ReturnType<typeof createRoomGate>['appear']>[2]

/** The gate of a room of cara, whose word list has `rude` and where every name is free. */
function made(row: Partial<Room['row']> = {}) {
  const clock = manualClock()
  const inside = new Map<string, Inside>()
  const members = new Map<string, RoomMemberTable>()
  const room = {
    row: { roomid: 7, uid: 1, creator: 'cara', valid: 1, muted: 0, slow: 0, ...row },
    inside,
    members,
    listeners: { size: 3 },
  } as unknown as Room
  const given = new Map<string, string>()
  const paid: string[] = []
  let others = 0
  const gate = createRoomGate({
    words: { catches: (_uid, text) => text.includes('rude') },
    names: {
      of: (_roomid, accid) => given.get(accid),
      give: (_room, accid, name) => {
        given.set(accid, name)
        return { name }
      },
    },
    deliveries: {
      take: (subnet, readers) => {
        paid.push(`${subnet} ${readers}`)
        return others
      },
    },
    clock,
  })
  const appear = (accid: string, wanted: Wanted) => {
    const { note, ...shown } = gate.appear(room, accid, wanted, undefined)
    inside.set(accid, { accid, ...shown, entered: 1, changed: 1, sessions: new Map() })
    return { ...shown, ...(note !== undefined && { note }) }
  }
  let count = 0
  const speak = (from: string, clientId = `c${++count}`, texts = ['hello'], isGuest?: boolean) =>
    gate.speak(room, {
      from,
      clientId,
      texts,
      ...(isGuest !== undefined && { link: { subnet: '192.0.2.1', isGuest, bytes: 10 } }),
    })
  const measure = (accid: string, more: Partial<RoomMemberTable>): void =>
    void members.set(accid, { roomid: 7, accid, ...nobody, updated: 0, ...more })
  return { gate, room, clock, appear, speak, measure, paid, wait: (seconds: number) => (others = seconds) }
}

describe('the appearance of somebody inside', () => {
  it.each([
    ['nick', 'rude one'],
    ['avatar', 'http://rude/a.png'],
    ['ext', '{"badge":"rude"}'],
  ] as const)('stays as it was where the word list catches the new %s', (part, text) => {
    const { appear } = made()
    const before = appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' })
    expect(appear('mona', { [part]: text })).toEqual({ ...before, note: 'caught' })
  })

  it('stays as it was while it is muted, and may be repeated', () => {
    const { appear, measure } = made()
    const before = appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' })
    measure('mona', { muted: 1 })
    for (const wanted of [{ nick: 'Other' }, { avatar: 'http://x/b' }, { ext: 'other' }])
      expect(appear('mona', wanted)).toEqual({ ...before, note: 'later' })
    expect(appear('mona', { nick: 'Mona', ext: 'badge' })).toEqual(before)
  })

  it('changes ten times a minute, each person for itself', () => {
    const { appear, clock } = made()
    const change = (accid: string, number: number) => appear(accid, { avatar: `http://x/${number}` }).note
    for (let number = 0; number < maxChanges; number++) expect(change('mona', number)).toBeUndefined()
    expect([change('mona', 100), change('mike', 100)]).toEqual(['later', undefined])
    clock.advance(59_999)
    expect(change('mona', 101)).toBe('later')
    clock.advance(1)
    expect(change('mona', 101)).toBeUndefined()
  })

  it('changes in slow mode as seldom as lines may be said, but the first name is free', () => {
    const { appear, speak, clock } = made({ slow: 10 })
    expect(appear('mona', { nick: 'Mona' })).toMatchObject({ nick: 'Mona' })
    expect(speak('mona')).toBe(false)
    expect(appear('mona', { nick: 'Other' })).toMatchObject({ nick: 'Mona', note: 'later' })
    clock.advance(10_000)
    expect(appear('mona', { nick: 'Other' })).not.toHaveProperty('note')
    expect(() => speak('mona')).toThrow(expect.objectContaining({ code: 416 }))
  })
})

describe('slow mode', () => {
  it('holds a second line back to the ms, of each person alone, and not one that is sent again', () => {
    const { speak, clock } = made({ slow: 10 })
    speak('mona', 'first')
    clock.advance(9_999)
    expect(() => speak('mona')).toThrow(expect.objectContaining({ code: 416 }))
    expect(speak('mona', 'first')).toBe(false)
    expect(speak('mike')).toBe(false)
    clock.advance(1)
    expect(speak('mona')).toBe(false)
  })

  it('does not hold creator and admins', () => {
    const { speak, measure } = made({ slow: 10 })
    measure('adam', { admin: 1 })
    for (const leader of ['cara', 'adam', 'cara', 'adam']) expect(speak(leader)).toBe(false)
  })
})

describe('a line', () => {
  it('is caught by any of its texts, and says so', () => {
    const { speak } = made()
    expect([speak('mona', 'a', ['kind', '']), speak('mona', 'b', ['kind', 'rude'])]).toEqual([false, true])
  })

  it('of a guest is charged to the time of deliveries by its readers, others are not, and waits where that is used up', () => {
    const { speak, paid, wait, measure } = made()
    measure('adam', { admin: 1 })
    speak('gast', 'a', ['hello'], true)
    speak('mona', 'b', ['hello'], false)
    speak('adam', 'c', ['hello'], true)
    speak('mona', 'd')
    expect(paid).toEqual(['192.0.2.1 3'])
    wait(7)
    expect(() => speak('gast', 'e', ['hello'], true)).toThrow(/speak again in 7 s/)
  })

  it.each([
    ['the room is closed', { valid: 0 }, {}],
    ['the whole room is muted', { muted: 1 }, {}],
    ['muted in the room', {}, { muted: 1 }],
    ['blacklisted from the room', {}, { blacklisted: 1 }],
    ['muted in the room for a while', {}, { mutedUntil: 1_800_000_000_001 }],
  ])('is refused with its reason: %s', (reason, row, member) => {
    const { speak, measure } = made(row)
    measure('mona', member)
    expect(() => speak('mona')).toThrow(expect.objectContaining({ code: 403, message: reason }))
  })
})

it('an entry is announced six times a minute with its exit, and refused after 30, for each person in a room', () => {
  const { gate, room, clock } = made()
  for (let entry = 1; entry <= maxEntries; entry++) {
    expect(gate.enter(room, 'mona')).toBe(entry <= maxTold)
    expect(gate.wasTold(room, 'mona')).toBe(entry <= maxTold)
  }
  expect(() => gate.enter(room, 'mona')).toThrow(expect.objectContaining({ code: 416 }))
  expect(gate.enter(room, 'mike')).toBe(true)
  clock.advance(60_000)
  expect([gate.enter(room, 'mona'), gate.wasTold(room, 'mona')]).toEqual([true, true])
})
