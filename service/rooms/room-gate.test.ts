import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { speakingLimits } from '../../contract/link/rooms.ts'
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
  /** Texts that were compared with the word list. */
  const compared: string[] = []
  /** What was asked of the names: name, whether it was chosen, and the name instead. */
  const asked: [string, boolean, string][] = []
  /** Names that are changed by a number, or as reserved. */
  const instead = new Map<string, { readonly name: string; readonly note: 'taken' | 'reserved' }>()
  let others = 0
  const gate = createRoomGate({
    words: { catches: (_uid, text) => compared.push(text) > 0 && text.includes('rude') },
    names: {
      of: (_roomid, accid) => given.get(accid),
      give: (_room, accid, name, chosen, before) => {
        asked.push([name, chosen, before])
        const made = instead.get(name) ?? { name }
        given.set(accid, made.name)
        return made
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
  const appear = (
    accid: string,
    wanted: Wanted,
    card?: { readonly name: string; readonly icon: string },
    subnet?: string,
  ) => {
    const { note, ...shown } = gate.appear(room, accid, wanted, card, subnet)
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
  const leave = (accid: string): void => void inside.delete(accid)
  const made = { gate, room, clock, appear, leave, speak, measure, paid, compared, asked, instead }
  return { ...made, wait: (seconds: number) => (others = seconds) }
}
const card = { name: 'Card', icon: 'http://x/card' }

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
    clock.advance(9_999)
    expect(appear('mona', { nick: 'Third' })).toMatchObject({ nick: 'Other', note: 'later' })
    clock.advance(1)
    expect(appear('mona', { nick: 'Third' })).not.toHaveProperty('note')
  })
})

describe('the appearance of somebody who comes', () => {
  it('is that of the card where nothing else is asked for, which the word list does not look at', () => {
    const { appear, compared } = made()
    expect(appear('mona', {}, card)).toEqual({ nick: 'Card', avatar: 'http://x/card', ext: '' })
    const rude = { name: 'rude', icon: 'http://rude/' }
    expect(appear('mike', { nick: 'rude', avatar: 'http://rude/' }, rude)).toMatchObject({ nick: 'rude' })
    expect(appear('mike', { nick: 'Mike' }, rude)).toMatchObject({ nick: 'Mike' })
    compared.length = 0
    expect(appear('mike', { nick: 'rude' }, rude)).toEqual({ nick: 'rude', avatar: 'http://rude/', ext: '' })
    expect(compared).toEqual([])
    expect(appear('nora', { nick: 'rude' }, card)).toEqual({
      nick: 'Card',
      avatar: 'http://x/card',
      ext: '',
      note: 'caught',
    })
  })

  it('is the last name and avatar of the room, without the extension, rather than those of the card', () => {
    const { appear, leave } = made()
    appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' }, card)
    leave('mona')
    expect(appear('mona', {}, card)).toEqual({ nick: 'Mona', avatar: 'http://x/a', ext: '' })
  })

  it('may be the one it had before, whatever the word list has by now', () => {
    const { appear, leave, compared } = made()
    appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' })
    leave('mona')
    compared.length = 0
    expect(appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' })).toMatchObject({ ext: 'badge' })
    expect(compared).toEqual([])
  })

  it('is the one from before, without an extension, while it is muted', () => {
    const { appear, leave, measure } = made()
    appear('mona', { nick: 'Mona', avatar: 'http://x/a', ext: 'badge' })
    leave('mona')
    measure('mona', { muted: 1 })
    expect(appear('mona', { nick: 'Other', ext: 'other' })).toEqual({
      nick: 'Mona',
      avatar: 'http://x/a',
      ext: '',
      note: 'later',
    })
    leave('mona')
    expect(appear('mona', {})).toEqual({ nick: 'Mona', avatar: 'http://x/a', ext: '' })
  })

  it('has the name that the room gives, with the reason where that is another one', () => {
    const { appear, instead } = made()
    instead.set('Kestrel', { name: 'Kestrel 2', note: 'taken' })
    instead.set('Host', { name: 'Mona', note: 'reserved' })
    expect(appear('mona', { nick: 'Kestrel' })).toMatchObject({ nick: 'Kestrel 2', note: 'taken' })
    expect(appear('mona', { nick: 'Host' })).toMatchObject({ nick: 'Mona', note: 'reserved' })
  })

  it('has a name that counts as chosen unless it is of the card or was given before', () => {
    const { appear, asked } = made()
    appear('mona', {}, card)
    appear('mona', { nick: 'Mona' }, card)
    appear('mona', { nick: 'Mona', ext: 'x' }, card)
    appear('mona', { nick: 'Card' }, card)
    expect(asked).toEqual([
      ['Card', false, ''],
      ['Mona', true, 'Card'],
      ['Mona', false, ''],
      ['Card', false, 'Mona'],
    ])
  })

  it('has no blanks around the name', () => {
    expect(made().appear('mona', { nick: '  Mona ' })).toMatchObject({ nick: 'Mona' })
  })

  it('is compared with the word list as readers see it, also where letters of the extension are escaped', () => {
    const { appear, compared } = made()
    expect(appear('mona', { ext: '{"badge":"\\u0072ude"}' }).note).toBe('caught')
    expect(compared.join()).toContain('rude')
  })

  it('is charged in bytes where others are told of it, and stays as before beyond that, save for leaders', () => {
    const { appear, measure } = made()
    measure('adam', { admin: 1 })
    const long = 'x'.repeat(4000)
    const change = (accid: string, part: object, number: number, subnet?: string) =>
      appear(
        accid,
        Object.fromEntries(Object.entries(part).map(([key, text]) => [key, `${number}${String(text)}`])),
        card,
        subnet,
      ).note
    const notes = (accid: string, part: object, subnet?: string) =>
      new Set(Array.from({ length: maxChanges }, (_, number) => change(accid, part, number, subnet)))
    expect(notes('mona', { ext: long }, '192.0.2.1')).toEqual(new Set([undefined, 'later']))
    for (const [accid, subnet] of [
      ['adam', '192.0.2.1'],
      ['cara', '192.0.2.1'],
      ['mike', undefined],
    ] as const)
      expect([accid, notes(accid, { ext: long }, subnet)]).toEqual([accid, new Set([undefined])])
    // Nobody is told of an avatar alone.
    const { appear: show } = made()
    show('mona', { ext: long }, card, '192.0.2.1')
    for (let number = 1; number < maxChanges; number++)
      expect(show('mona', { avatar: `http://x/${number}` }, card, '192.0.2.1')).not.toHaveProperty('note')
  })
})

describe('slow mode', () => {
  it('begins with a line that was taken, not with one that was refused, nor with a changed name', () => {
    const { speak, appear, measure, clock } = made({ slow: 10 })
    appear('mona', { nick: 'Mona' })
    speak('mona', 'first')
    clock.advance(9_000)
    expect(() => speak('mona')).toThrow(/^slow mode: 10 seconds between two lines$/)
    clock.advance(1_000)
    measure('mona', { muted: 1 })
    expect(() => speak('mona')).toThrow(expect.objectContaining({ code: 403 }))
    measure('mona', {})
    expect(speak('mona', 'second')).toBe(false)
    clock.advance(10_000)
    appear('mona', { nick: 'Other' })
    // No line of a name that was changed since is sent again for free.
    expect(speak('mona', 'second')).toBe(false)
    expect(() => speak('mona')).toThrow(expect.objectContaining({ code: 416 }))
  })

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

  it('beyond what an account may say by the link is refused before the word list looks at it', () => {
    const { speak, compared } = made()
    for (let line = 0; line < speakingLimits.account.lines.atOnce; line++) speak('mona', `c${line}`, ['rude'], false)
    compared.length = 0
    expect(() => speak('mona', 'more', ['rude'], false)).toThrow(
      expect.objectContaining({
        code: 416,
        message: 'too many lines, or too long ones, in a short time; speak again in 1 s',
      }),
    )
    expect(compared).toEqual([])
    // Signed calls and leaders are not limited.
    expect(speak('mona')).toBe(false)
    for (let line = 0; line <= speakingLimits.account.lines.atOnce; line++) speak('cara', `l${line}`, ['hello'], false)
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

it('entries are counted for each room, and the exit of somebody unknown is announced', () => {
  const { gate, room } = made()
  const other = { ...room, row: { ...room.row, roomid: 8 } }
  for (let entry = 0; entry < maxEntries; entry++) gate.enter(room, 'mona')
  expect([gate.enter(other, 'mona'), gate.wasTold(room, 'mona'), gate.wasTold(room, 'mike')]).toEqual([
    true,
    false,
    true,
  ])
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

it('somebody enters 30 times a minute, of which 6 are announced, and changes its appearance 10 times', () => {
  const { gate, room, appear, clock } = made()
  const told = Array.from({ length: 30 }, () => gate.enter(room, 'mona')).filter(Boolean).length
  expect(told).toBe(6)
  expect(() => gate.enter(room, 'mona')).toThrow('entered 30 times within a minute')
  appear('mona', {})
  for (let change = 1; change <= 10; change++)
    expect(appear('mona', { nick: `Mo${change}` })).toMatchObject({ nick: `Mo${change}` })
  expect(appear('mona', { nick: 'Mo11' })).toMatchObject({ nick: 'Mo10', note: 'later' })
  clock.advance(59_999)
  expect(appear('mona', { nick: 'Mo11' })).toMatchObject({ nick: 'Mo10', note: 'later' })
  expect(() => gate.enter(room, 'mona')).toThrow('entered 30 times within a minute')
  clock.advance(1)
  expect(appear('mona', { nick: 'Mo11' })).toEqual({ nick: 'Mo11', avatar: '', ext: '' })
  expect(gate.enter(room, 'mona')).toBe(true)
})
