import { beforeEach, describe, expect, it } from 'vitest'
import { inBackground } from '../../background.ts'
import type { Measure, RoomDesk } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { useRoomDesk, type KeyPlace } from './room-desk.ts'
import type { RoomCommand } from '../keys/room-keys.ts'

const seat = (more: Partial<RoomDesk> = {}): RoomDesk => ({
  profileId: 'local',
  roomid: 7,
  phase: 'inside',
  reason: null,
  accid: 'host',
  name: 'Seven',
  announcement: '',
  muted: false,
  mutedBy: null,
  mutedAt: null,
  slow: 0,
  online: 1,
  counts: null,
  ...more,
})

/** Everything that is open is seen, and nothing in particular has the focus. */
const seen: KeyPlace = { person: null, row: null, marked: true, card: true, queue: true }

let refused: number | null = null
/** The order of those measures that are answered when the test says so. */
let slow: (() => void)[] | null = null
const stage = () => {
  const on = roomStage(
    {
      'chatrooms.membersByPage': () => ({ desc: { data: [] } }),
      'queue.list': () => ({ desc: { list: [] } }),
      'local.muted': () => ({ ret: { list: [], more: false } }),
      'local.blacklisted': () => ({ ret: { list: [], more: false } }),
      enter: () => {
        if (refused !== null) throw refusal(refused)
        return seat({ phase: 'connecting' })
      },
      say: async () => {
        if (refused !== null) throw refusal(refused)
        if (slow) await new Promise<void>((resolve) => slow?.push(resolve))
        return { msgid: 'x', at: 1 }
      },
      act: async ({ measure }: { measure: Measure }) => {
        if (refused !== null) throw refusal(refused)
        if (slow) await new Promise<void>((resolve) => slow?.push(resolve))
        return { action: roomAction(measure), taken: null }
      },
    },
    1_000,
  )
  const say = (msgid: number, from: string): void => {
    // Lines that come together wait for each other.
    on.time.now += 1_000
    on.room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: {
        t: 'roomMessage',
        roomid: 7,
        msgid: String(msgid),
        at: msgid,
        from,
        fromNick: from,
        fromClientType: 'WEB',
        type: 0,
        attach: `line ${msgid}`,
      },
    })
  }
  on.room.apply({ type: 'room', desk: seat() })
  on.room.people = [{ accid: 'mei', nick: 'Mei', type: 2, online: true, robot: false, since: null }]
  const desk = useRoomDesk()
  return {
    ...on,
    desk,
    say,
    press: (what: Exclude<RoomCommand['do'], 'preset' | 'panic'>): void => desk.carryOut({ do: what }, seen),
    measures: (): Measure[] => on.calls('act').map((input) => (input as { measure: Measure }).measure),
    whys: (): string[] => on.calls('act').map((input) => (input as { why: string }).why),
  }
}
let on: ReturnType<typeof stage>
/** The field for the reason in the card of a person. */
const typed = (accid: string): string => on.desk.reasonOf(accid).value
const type = (accid: string, text: string): void => {
  on.desk.reasonOf(accid).value = text
}
beforeEach(() => {
  refused = null
  slow = null
  on = stage()
  for (const [index, who] of ['ana', 'lee', 'mei', 'host'].entries()) on.say(index + 1, who)
})

describe('the keys of a moderator', () => {
  it('begin at the newest line, go to the first, and keep the log where it is meanwhile', () => {
    on.press('up')
    expect([on.desk.focused, on.desk.follows, on.desk.frozen]).toEqual(['4', false, false])
    expect(on.desk.wish).toEqual({ field: 'log' })
    on.press('up')
    expect(on.desk.focused).toBe('3')
    on.press('first')
    expect(on.desk.focused).toBe('1')
    on.press('up')
    expect(on.desk.focused).toBe('1')
    on.press('down')
    expect([on.desk.focused, on.desk.follows]).toEqual(['2', false])
  })

  it('act on the person of the marked line, with the reason of their card, which goes with it', async () => {
    on.desk.focused = '2'
    on.press('card')
    type('lee', ' spoilers ')
    on.desk.carryOut({ do: 'preset', preset: 5 }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'mute', target: 'lee', on: true }])
    await expect.poll(() => typed('lee')).toBe('')
    on.press('mute')
    await expect.poll(() => on.measures()[1]).toEqual({ kind: 'mute', target: 'lee', on: true })
    expect(on.whys()).toEqual(['spoilers', ''])
    on.desk.carryOut({ do: 'preset', preset: 6 }, seen)
    expect(on.measures()).toHaveLength(2)
  })

  it('leave the reason that was typed while a measure was under way, and send it with the next one', async () => {
    slow = []
    on.desk.show('ana')
    type('ana', 'spoilers')
    const first = on.desk.act({ kind: 'mute', target: 'ana', on: true })
    await expect.poll(() => slow?.length).toBe(1)
    type('ana', 'insults')
    const second = on.desk.act({ kind: 'blacklist', target: 'ana', on: true })
    await expect.poll(() => slow?.length).toBe(2)
    slow[0]?.()
    expect(await first).toBe(true)
    expect(typed('ana')).toBe('insults')
    const third = on.desk.withReason({ kind: 'ordinary', target: 'ana', on: false }, (why) =>
      Promise.resolve(why === 'insults'),
    )
    expect(await third).toBe(true)
    slow[1]?.()
    await second
    expect([typed('ana'), on.whys()]).toEqual(['', ['spoilers', 'insults']])
  })

  it('name the line upon which somebody was muted or blacklisted, for the log, and none where nobody marked one', async () => {
    const upons = () => on.calls('act').map((input) => (input as { upon?: string }).upon)
    on.desk.focused = '2'
    on.desk.carryOut({ do: 'preset', preset: 1 }, seen)
    on.press('mute')
    await expect.poll(upons).toEqual(['2', '2'])
    on.press('blacklist')
    await on.desk.confirm()
    await on.desk.act({ kind: 'mute', target: 'ana', on: true })
    on.desk.mute('lee')
    await expect.poll(upons).toEqual(['2', '2', '2', undefined, undefined])
  })

  it('leave the reason where the measure was refused, for the same person and nobody else', async () => {
    refused = 417
    on.desk.show('ana')
    type('ana', 'spoilers')
    expect(await on.desk.act({ kind: 'mute', target: 'ana', on: true })).toBe(false)
    expect(typed('ana')).toBe('spoilers')
    refused = null
    await on.desk.act({ kind: 'mute', target: 'lee', on: true })
    on.desk.show('lee')
    expect(typed('lee')).toBe('')
    await on.desk.act({ kind: 'mute', target: 'lee', on: true })
    await on.desk.act({ kind: 'openRoom', on: true })
    await on.desk.withReason({ kind: 'ordinary', target: 'eve', on: true }, (why) =>
      on.room.act({ kind: 'ordinary', target: 'eve', on: true }, why),
    )
    expect(on.whys()).toEqual(['spoilers', '', '', '', ''])
    on.desk.show('ana')
    await on.desk.act({ kind: 'mute', target: 'ana', on: true })
    expect(on.whys().at(-1)).toBe('spoilers')
  })

  it('send no reason that is not seen: that of a card which was closed', async () => {
    on.desk.show('ana')
    type('ana', 'spoilers')
    on.press('close')
    await on.desk.act({ kind: 'mute', target: 'ana', on: true })
    expect([on.whys(), typed('ana')]).toEqual([[''], 'spoilers'])
  })

  it('take the reason of a question with its yes only, and for whom it asked', async () => {
    on.desk.askBlacklist('ana')
    on.desk.askedReason = 'a mistake'
    on.desk.asked = null
    on.desk.mute('lee')
    on.desk.askBlacklist('lee')
    expect(on.desk.askedReason).toBe('')
    on.desk.asked = null
    on.desk.show('ana')
    await on.desk.act({ kind: 'mute', target: 'ana', on: true })
    expect(on.whys()).toEqual(['', ''])
    type('ana', 'spoilers')
    on.desk.askBlacklist('ana')
    expect(on.desk.askedReason).toBe('spoilers')
    on.desk.askedReason = ' insults '
    refused = 417
    await on.desk.confirm()
    // Refused: it need not be typed again.
    expect([on.desk.asked, typed('ana')]).toEqual([null, ' insults '])
    refused = null
    on.desk.askBlacklist('ana')
    await on.desk.confirm()
    expect([on.whys().slice(2), typed('ana')]).toEqual([['insults', 'insults'], ''])
  })

  it('leave the words that were typed while a line was under way', async () => {
    slow = []
    on.desk.text = 'first'
    const said = on.desk.say()
    await expect.poll(() => slow?.length).toBe(1)
    on.desk.text = 'second'
    slow[0]?.()
    await said
    expect(on.desk.text).toBe('second')
  })

  it('never act on somebody else than the one that is marked: the open card goes along, and a card of another unmarks the line', () => {
    on.desk.focused = '1'
    on.press('card')
    expect(on.desk.shown).toBe('ana')
    on.press('down')
    expect(on.desk.shown).toBe('lee')
    on.desk.show('ana')
    expect(on.desk.focused).toBeNull()
    on.press('blacklist')
    expect(on.desk.asked).toEqual({ what: 'blacklist', accid: 'ana' })
  })

  it('act on what has the focus and is seen, or on nothing', async () => {
    const target = (place: Partial<KeyPlace>): unknown => {
      on.desk.asked = null
      on.desk.carryOut({ do: 'blacklist' }, { ...seen, ...place })
      return on.desk.asked === null ? null : (on.desk.asked as { accid: string }).accid
    }
    on.desk.focused = '2'
    expect(target({})).toBe('lee')
    // The row of another whose button has the focus, here and in another tab.
    expect(target({ row: '1', person: null })).toBe('ana')
    expect(target({ person: 'ana' })).toBe('ana')
    // Lines that are not on the screen: scrolled away, in another tab, not among what was searched for.
    expect(target({ marked: false, card: false })).toBeNull()
    expect(on.desk.wish).toEqual({ field: 'marked' })
    on.desk.tab = 'held'
    expect(target({ card: false })).toBeNull()
    expect(target({ person: 'bo' })).toBe('bo')
    on.desk.tab = 'chat'
    on.desk.search = 'line 1'
    expect(target({ card: false })).toBeNull()
    on.desk.search = ''
    // A card counts while it is seen and nothing else is meant.
    on.desk.show('ana')
    expect(target({ marked: false })).toBe('ana')
    expect(target({ marked: false, card: false })).toBeNull()
    expect(target({ person: 'lee', marked: false })).toBe('lee')
    // A row that is a notice, or that is gone, is about nobody.
    expect(target({ row: 'gone', marked: false })).toBeNull()
  })

  it('delete the line that is seen and marked, never one of another tab', async () => {
    on.desk.focused = '2'
    on.desk.tab = 'people'
    on.desk.carryOut({ do: 'remove' }, { ...seen, marked: false, person: 'ana' })
    on.desk.tab = 'chat'
    on.desk.carryOut({ do: 'remove' }, { ...seen, marked: false, card: false })
    expect(on.measures()).toEqual([])
    on.desk.carryOut({ do: 'remove' }, { ...seen, row: '1' })
    await expect.poll(() => on.measures()).toEqual([{ kind: 'removeLine', target: 'ana', msgid: '1' }])
  })

  it('show the queue before they take from it', async () => {
    on.room.queue = [{ key: 'bo', value: 'song' }] as typeof on.room.queue
    on.desk.carryOut({ do: 'take' }, { ...seen, queue: false })
    expect([on.desk.tab, on.measures()]).toEqual(['queue', []])
    on.desk.carryOut({ do: 'take' }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'queueTake', key: 'bo' }])
  })

  it('keep the marked line where it was seen, and let it go for the newest of all', () => {
    on.desk.mark(on.desk.rows[1]!)
    expect([on.desk.focused, on.desk.follows]).toEqual(['2', false])
    on.say(9, 'lee')
    on.time.now += 5_000
    expect([on.desk.rows.at(-1)?.key, on.desk.fresh]).toEqual(['4', 1])
    on.press('last')
    expect([on.desk.focused, on.desk.rows.at(-1)?.key, on.desk.follows]).toEqual([null, '9', true])
    expect(on.desk.wish).toEqual({ field: 'newest' })
    // It ends a freeze as well: whoever asks for the newest line wants to see it.
    on.press('freeze')
    on.press('up')
    on.press('last')
    expect([on.desk.focused, on.desk.follows]).toEqual([null, true])
  })

  it('lead from the search into what was found', () => {
    on.desk.openSearch()
    on.desk.search = 'line 2'
    on.desk.enterLog()
    expect([on.desk.focused, on.desk.wish]).toEqual(['2', { field: 'log' }])
  })

  it('spare host and moderators, and delete of them only what the acting account said', async () => {
    for (const key of ['3', '4']) {
      on.desk.focused = key
      on.press('mute')
      on.press('blacklist')
      on.desk.carryOut({ do: 'preset', preset: 0 }, seen)
    }
    on.desk.focused = '3'
    on.press('remove')
    expect([on.measures(), on.desk.asked]).toEqual([[], null])
    on.desk.focused = '4'
    on.press('remove')
    await expect.poll(() => on.measures()).toEqual([{ kind: 'removeLine', target: 'host', msgid: '4' }])
  })

  it('delete a line once, and on the embedded service only', async () => {
    on.desk.focused = '1'
    on.press('remove')
    await expect.poll(() => on.measures()).toHaveLength(1)
    on.room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: { t: 'roomRecall', roomid: 7, msgid: '1', at: 9, from: 'ana', clientId: '', operator: 'host', ext: '' },
    })
    on.press('remove')
    expect(on.measures()).toHaveLength(1)
  })

  it('close one thing after the other and leave the line last', () => {
    on.desk.focused = '1'
    on.press('search')
    on.press('card')
    on.press('announcement')
    const open = (): boolean[] => [on.desk.editing, on.desk.shown !== null, on.desk.searching, on.desk.focused !== null]
    for (const left of [3, 2, 1, 0]) {
      on.press('close')
      expect(open().filter(Boolean)).toHaveLength(left)
    }
  })

  it('take from a queue in which somebody waits', async () => {
    on.press('take')
    expect(on.measures()).toEqual([])
    on.room.queue = [{ key: 'ghost', value: 'call-in' }]
    on.press('take')
    // Whoever is first at the service by now may be somebody else.
    await expect.poll(() => on.measures()).toEqual([{ kind: 'queueTake', key: 'ghost' }])
  })

  it('ask for the second of a line that somebody said, for fields, and for a window, each press anew', () => {
    on.press('second')
    expect(on.desk.second).toBeNull()
    on.desk.focused = '2'
    on.press('second')
    expect(on.desk.second?.msgid).toBe('2')
    on.press('popOut')
    const before = on.desk.wish
    on.press('popOut')
    expect(on.desk.wish).toEqual({ field: 'popOut' })
    expect(on.desk.wish).not.toBe(before)
  })
})

describe('after a measure on the marked line', () => {
  const taken = (count: number): Promise<void> => expect.poll(() => on.room.carried?.turn).toBe(count)

  it.each([
    ['a mute', (): void => on.press('mute')],
    ['a mute for a preset', (): void => on.desk.carryOut({ do: 'preset', preset: 0 }, seen)],
    ['a deletion', (): void => on.press('remove')],
    ['a button of the row or of the card', (): void => on.desk.mute('lee')],
    [
      'a blacklisting',
      (): void => {
        on.press('blacklist')
        inBackground(on.desk.confirm())
      },
    ],
    ['a list of people', (): void => inBackground(on.room.act({ kind: 'ordinary', target: 'lee', on: true }))],
  ])('the log goes on by itself, with the mark on the line: %s', async (_name, measure) => {
    on.desk.mark(on.desk.rows[1]!)
    on.say(9, 'ana')
    expect([on.desk.follows, on.desk.fresh]).toEqual([false, 1])
    measure()
    await taken(1)
    expect([on.desk.follows, on.desk.fresh, on.desk.focused]).toEqual([true, 0, '2'])
  })

  it('the next key is still about that line, as long as it is seen; else it is shown and stays', async () => {
    on.desk.mark(on.desk.rows[1]!)
    on.press('remove')
    await taken(1)
    on.press('mute')
    await taken(2)
    expect(on.measures()).toEqual([
      { kind: 'removeLine', target: 'lee', msgid: '2' },
      { kind: 'temporaryMute', target: 'lee', seconds: 600 },
    ])
    on.desk.carryOut({ do: 'mute' }, { ...seen, marked: false, card: false })
    expect(on.measures()).toHaveLength(2)
    expect([on.desk.wish, on.desk.follows]).toEqual([{ field: 'marked' }, false])
  })

  it.each(['up', 'down'] as const)(
    '%s begins at the newest line once the marked one has left the screen, and beside it while it is there',
    async (key) => {
      on.desk.mark(on.desk.rows[1]!)
      on.press('remove')
      await taken(1)
      on.say(9, 'ana')
      on.desk.carryOut({ do: key }, { ...seen, marked: false })
      expect(on.desk.focused).toBe('9')
      // A line that is marked and was scrolled away stands still: the next one is its neighbour.
      on.desk.mark(on.desk.rows[1]!)
      on.desk.carryOut({ do: key }, { ...seen, marked: false })
      expect(on.desk.focused).toBe(on.desk.rows[key === 'up' ? 0 : 2]!.key)
    },
  )

  it('it stands still while it was frozen on purpose, before or after the mark', async () => {
    on.press('freeze')
    on.desk.mark(on.desk.rows[1]!)
    on.press('mute')
    await taken(1)
    expect([on.desk.frozen, on.desk.follows]).toEqual([true, false])
    on.press('freeze')
    expect(on.desk.follows).toBe(true)
    on.desk.mark(on.desk.rows[1]!)
    on.press('freeze')
    on.press('mute')
    await taken(2)
    expect([on.desk.frozen, on.desk.follows]).toEqual([true, false])
  })

  it('it stands still while the measure is refused, is about somebody else, or was begun before the line was marked', async () => {
    on.desk.mark(on.desk.rows[1]!)
    refused = 403
    on.press('mute')
    await expect.poll(() => on.room.refusals.at(-1)?.failure.code).toBe(403)
    expect(on.desk.follows).toBe(false)
    refused = null
    on.desk.mute('ana')
    await taken(2)
    expect(on.desk.follows).toBe(false)
    on.say(9, 'lee')
    on.press('mute')
    on.desk.mark(on.desk.rows[1]!)
    await taken(3)
    expect([on.desk.follows, on.desk.fresh]).toEqual([false, 1])
  })

  it('a pointer that was used holds the rows under it until it leaves; one that rests beside the keys does not', async () => {
    on.desk.hovered = true
    on.desk.mark(on.desk.rows[1]!)
    on.desk.mute('lee')
    await taken(1)
    expect([on.desk.hovered, on.desk.follows]).toEqual([true, false])
    on.desk.hovered = false
    expect(on.desk.follows).toBe(true)
    on.desk.hovered = true
    on.desk.mark(on.desk.rows[1]!)
    on.press('mute')
    await taken(2)
    expect([on.desk.hovered, on.desk.follows]).toEqual([false, true])
  })
})

describe('letting the mark go', () => {
  it('lets the log go on, but for a freeze on purpose', () => {
    on.desk.mark(on.desk.rows[1]!)
    on.say(9, 'ana')
    on.press('close')
    expect([on.desk.focused, on.desk.follows, on.desk.fresh]).toEqual([null, true, 0])
    on.desk.mark(on.desk.rows[1]!)
    on.press('freeze')
    on.press('close')
    expect([on.desk.focused, on.desk.frozen, on.desk.follows]).toEqual([null, true, false])
    on.press('freeze')
    expect(on.desk.follows).toBe(true)
    // The card of somebody else takes the mark away too.
    on.desk.mark(on.desk.rows[1]!)
    on.desk.show('ana')
    expect([on.desk.focused, on.desk.follows]).toEqual([null, true])
  })
})

describe('the panic key', () => {
  it('mutes the room at once, and again only when it was lifted', async () => {
    on.desk.carryOut({ do: 'panic', on: false }, seen)
    expect(on.measures()).toEqual([])
    on.desk.carryOut({ do: 'panic', on: true }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'muteRoom', on: true }])
    on.room.apply({ type: 'room', desk: seat({ muted: true }) })
    on.desk.carryOut({ do: 'panic', on: true }, seen)
    on.desk.carryOut({ do: 'panic', on: false }, seen)
    await expect
      .poll(() => on.measures())
      .toEqual([
        { kind: 'muteRoom', on: true },
        { kind: 'muteRoom', on: false },
      ])
  })
})

describe('the log', () => {
  const shown = (): string[] => on.desk.rows.map(({ key }) => key)
  it('stands still while it is frozen and says how many came, and shows them all after', () => {
    on.desk.frozen = true
    on.say(5, 'ana')
    on.say(6, 'lee')
    expect([shown(), on.desk.fresh]).toEqual([['1', '2', '3', '4'], 2])
    on.desk.frozen = false
    expect([shown().at(-1), on.desk.fresh]).toEqual(['6', 0])
  })

  it('stands still under the pointer; freezing there keeps that place', () => {
    on.desk.hovered = true
    on.say(5, 'ana')
    expect([on.desk.fresh, on.desk.follows, on.desk.frozen]).toEqual([1, false, false])
    on.press('freeze')
    on.desk.hovered = false
    expect([on.desk.fresh, on.desk.frozen]).toEqual([1, true])
    on.press('freeze')
    expect([on.desk.fresh, on.desk.follows]).toEqual([0, true])
  })

  it('keeps nothing of one room for another', () => {
    on.desk.focused = '1'
    on.press('card')
    on.press('announcement')
    on.press('search')
    on.desk.search = 'line'
    type('ana', 'why')
    on.desk.text = 'half a'
    on.desk.frozen = true
    on.press('blacklist')
    expect(on.desk.asked).not.toBeNull()
    on.room.roomid = 8
    const { focused, shown: card, editing, searching, search, text, frozen, asked, tab } = on.desk
    expect({ focused, card, editing, searching, search, reason: typed('ana'), text, frozen, asked, tab }).toEqual({
      focused: null,
      card: null,
      editing: false,
      searching: false,
      search: '',
      reason: '',
      text: '',
      frozen: false,
      asked: null,
      tab: 'chat',
    })
  })
})

describe('what is asked', () => {
  it('is about the person of the moment of the press, and is done once', async () => {
    on.desk.focused = '1'
    on.press('blacklist')
    on.desk.focused = '2'
    inBackground(on.desk.confirm())
    await on.desk.confirm()
    await expect.poll(() => on.desk.asked).toBeNull()
    expect(on.measures()).toEqual([{ kind: 'blacklist', target: 'ana', on: true }])
  })
})

describe('the composer', () => {
  it('sends a line once and unfreezes; what was refused stays written', async () => {
    on.desk.frozen = true
    on.desk.text = '  hello '
    inBackground(on.desk.say())
    await on.desk.say()
    await expect.poll(() => on.desk.saying).toBe(false)
    expect(on.calls('say')).toEqual([{ profileId: 'local', roomid: 7, text: 'hello' }])
    expect([on.desk.text, on.desk.frozen]).toEqual(['', false])
    refused = 13002
    on.desk.text = 'again'
    await on.desk.say()
    expect([on.desk.text, on.desk.sayFailure?.code]).toEqual(['again', 13002])
    on.desk.text = '   '
    await on.desk.say()
    expect(on.calls('say')).toHaveLength(2)
  })

  it('keeps what is written while the app cannot go into the room, and sends it once it is there', async () => {
    on.room.apply({ type: 'room', desk: seat({ phase: 'off' }) })
    refused = 500
    on.desk.text = 'is anybody there'
    await on.desk.say()
    expect([on.desk.text, on.calls('say'), on.room.outside?.code]).toEqual(['is anybody there', [], 500])
    refused = null
    await on.desk.say()
    expect([on.desk.text, on.calls('say'), on.room.outside]).toEqual([
      '',
      [{ profileId: 'local', roomid: 7, text: 'is anybody there' }],
      null,
    ])
  })

  it.each([
    ['refused', seat({ phase: 'refused' }), 1],
    ['inside', seat(), 0],
    ['connecting', seat({ phase: 'connecting' }), 0],
  ] as const)(
    'goes into the room before it sends only where the app is not on the way: %s',
    async (_phase, now, entries) => {
      on.room.apply({ type: 'room', desk: now })
      on.desk.text = 'hello'
      await on.desk.say()
      expect(on.calls('enter')).toHaveLength(entries)
      expect(on.calls('say')).toHaveLength(1)
    },
  )
})
