import { beforeEach, describe, expect, it } from 'vitest'
import { inBackground } from '../../background.ts'
import type { Measure, RoomPanel } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { useRoomPanel, type KeyPlace } from './room-panel.ts'
import type { RoomCommand } from '../keys/room-keys.ts'

const seat = (more: Partial<RoomPanel> = {}): RoomPanel => ({
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
  on.room.apply({ type: 'room', panel: seat() })
  on.room.people = [{ accid: 'mei', nick: 'Mei', type: 2, online: true, robot: false, since: null }]
  const panel = useRoomPanel()
  return {
    ...on,
    panel,
    say,
    press: (what: Exclude<RoomCommand['do'], 'preset' | 'panic'>): void => panel.carryOut({ do: what }, seen),
    measures: (): Measure[] => on.calls('act').map((input) => (input as { measure: Measure }).measure),
    whys: (): string[] => on.calls('act').map((input) => (input as { why: string }).why),
  }
}
let on: ReturnType<typeof stage>
/** The field for the reason in the card of a person. */
const typed = (accid: string): string => on.panel.reasonOf(accid).value
const type = (accid: string, text: string): void => {
  on.panel.reasonOf(accid).value = text
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
    expect([on.panel.focused, on.panel.follows, on.panel.frozen]).toEqual(['4', false, false])
    expect(on.panel.wish).toEqual({ field: 'log' })
    on.press('up')
    expect(on.panel.focused).toBe('3')
    on.press('first')
    expect(on.panel.focused).toBe('1')
    on.press('up')
    expect(on.panel.focused).toBe('1')
    on.press('down')
    expect([on.panel.focused, on.panel.follows]).toEqual(['2', false])
  })

  it('act on the person of the marked line, with the reason of their card, which goes with it', async () => {
    on.panel.focused = '2'
    on.press('card')
    type('lee', ' spoilers ')
    on.panel.carryOut({ do: 'preset', preset: 5 }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'mute', target: 'lee', on: true }])
    await expect.poll(() => typed('lee')).toBe('')
    on.press('mute')
    await expect.poll(() => on.measures()[1]).toEqual({ kind: 'mute', target: 'lee', on: true })
    expect(on.whys()).toEqual(['spoilers', ''])
    on.panel.carryOut({ do: 'preset', preset: 6 }, seen)
    expect(on.measures()).toHaveLength(2)
  })

  it('leave the reason that was typed while a measure was under way, and send it with the next one', async () => {
    slow = []
    on.panel.show('ana')
    type('ana', 'spoilers')
    const first = on.panel.act({ kind: 'mute', target: 'ana', on: true })
    await expect.poll(() => slow?.length).toBe(1)
    type('ana', 'insults')
    const second = on.panel.act({ kind: 'blacklist', target: 'ana', on: true })
    await expect.poll(() => slow?.length).toBe(2)
    slow[0]?.()
    expect(await first).toBe(true)
    expect(typed('ana')).toBe('insults')
    const third = on.panel.withReason({ kind: 'ordinary', target: 'ana', on: false }, (why) =>
      Promise.resolve(why === 'insults'),
    )
    expect(await third).toBe(true)
    slow[1]?.()
    await second
    expect([typed('ana'), on.whys()]).toEqual(['', ['spoilers', 'insults']])
  })

  it('name the line upon which somebody was muted or blacklisted, for the log, and none where nobody marked one', async () => {
    const upons = () => on.calls('act').map((input) => (input as { upon?: string }).upon)
    on.panel.focused = '2'
    on.panel.carryOut({ do: 'preset', preset: 1 }, seen)
    on.press('mute')
    await expect.poll(upons).toEqual(['2', '2'])
    on.press('blacklist')
    await on.panel.confirm()
    await on.panel.act({ kind: 'mute', target: 'ana', on: true })
    on.panel.mute('lee')
    await expect.poll(upons).toEqual(['2', '2', '2', undefined, undefined])
  })

  it('leave the reason where the measure was refused, for the same person and nobody else', async () => {
    refused = 417
    on.panel.show('ana')
    type('ana', 'spoilers')
    expect(await on.panel.act({ kind: 'mute', target: 'ana', on: true })).toBe(false)
    expect(typed('ana')).toBe('spoilers')
    refused = null
    await on.panel.act({ kind: 'mute', target: 'lee', on: true })
    on.panel.show('lee')
    expect(typed('lee')).toBe('')
    await on.panel.act({ kind: 'mute', target: 'lee', on: true })
    await on.panel.act({ kind: 'openRoom', on: true })
    await on.panel.withReason({ kind: 'ordinary', target: 'eve', on: true }, (why) =>
      on.room.act({ kind: 'ordinary', target: 'eve', on: true }, why),
    )
    expect(on.whys()).toEqual(['spoilers', '', '', '', ''])
    on.panel.show('ana')
    await on.panel.act({ kind: 'mute', target: 'ana', on: true })
    expect(on.whys().at(-1)).toBe('spoilers')
  })

  it('send no reason that is not seen: that of a card which was closed', async () => {
    on.panel.show('ana')
    type('ana', 'spoilers')
    on.press('close')
    await on.panel.act({ kind: 'mute', target: 'ana', on: true })
    expect([on.whys(), typed('ana')]).toEqual([[''], 'spoilers'])
  })

  it('take the reason of a question with its yes only, and for whom it asked', async () => {
    on.panel.askBlacklist('ana')
    on.panel.askedReason = 'a mistake'
    on.panel.asked = null
    on.panel.mute('lee')
    on.panel.askBlacklist('lee')
    expect(on.panel.askedReason).toBe('')
    on.panel.asked = null
    on.panel.show('ana')
    await on.panel.act({ kind: 'mute', target: 'ana', on: true })
    expect(on.whys()).toEqual(['', ''])
    type('ana', 'spoilers')
    on.panel.askBlacklist('ana')
    expect(on.panel.askedReason).toBe('spoilers')
    on.panel.askedReason = ' insults '
    refused = 417
    await on.panel.confirm()
    // Refused: it need not be typed again.
    expect([on.panel.asked, typed('ana')]).toEqual([null, ' insults '])
    refused = null
    on.panel.askBlacklist('ana')
    await on.panel.confirm()
    expect([on.whys().slice(2), typed('ana')]).toEqual([['insults', 'insults'], ''])
  })

  it('leave the words that were typed while a line was under way', async () => {
    slow = []
    on.panel.text = 'first'
    const said = on.panel.say()
    await expect.poll(() => slow?.length).toBe(1)
    on.panel.text = 'second'
    slow[0]?.()
    await said
    expect(on.panel.text).toBe('second')
  })

  it('never act on somebody else than the one that is marked: the open card goes along, and a card of another unmarks the line', () => {
    on.panel.focused = '1'
    on.press('card')
    expect(on.panel.shown).toBe('ana')
    on.press('down')
    expect(on.panel.shown).toBe('lee')
    on.panel.show('ana')
    expect(on.panel.focused).toBeNull()
    on.press('blacklist')
    expect(on.panel.asked).toEqual({ what: 'blacklist', accid: 'ana' })
  })

  it('act on what has the focus and is seen, or on nothing', async () => {
    const target = (place: Partial<KeyPlace>): unknown => {
      on.panel.asked = null
      on.panel.carryOut({ do: 'blacklist' }, { ...seen, ...place })
      return on.panel.asked === null ? null : (on.panel.asked as { accid: string }).accid
    }
    on.panel.focused = '2'
    expect(target({})).toBe('lee')
    // The row of another whose button has the focus, here and in another tab.
    expect(target({ row: '1', person: null })).toBe('ana')
    expect(target({ person: 'ana' })).toBe('ana')
    // Lines that are not on the screen: scrolled away, in another tab, not among what was searched for.
    expect(target({ marked: false, card: false })).toBeNull()
    expect(on.panel.wish).toEqual({ field: 'marked' })
    on.panel.tab = 'held'
    expect(target({ card: false })).toBeNull()
    expect(target({ person: 'bo' })).toBe('bo')
    on.panel.tab = 'chat'
    on.panel.search = 'line 1'
    expect(target({ card: false })).toBeNull()
    on.panel.search = ''
    // A card counts while it is seen and nothing else is meant.
    on.panel.show('ana')
    expect(target({ marked: false })).toBe('ana')
    expect(target({ marked: false, card: false })).toBeNull()
    expect(target({ person: 'lee', marked: false })).toBe('lee')
    // A row that is a notice, or that is gone, is about nobody.
    expect(target({ row: 'gone', marked: false })).toBeNull()
  })

  it('delete the line that is seen and marked, never one of another tab', async () => {
    on.panel.focused = '2'
    on.panel.tab = 'people'
    on.panel.carryOut({ do: 'remove' }, { ...seen, marked: false, person: 'ana' })
    on.panel.tab = 'chat'
    on.panel.carryOut({ do: 'remove' }, { ...seen, marked: false, card: false })
    expect(on.measures()).toEqual([])
    on.panel.carryOut({ do: 'remove' }, { ...seen, row: '1' })
    await expect.poll(() => on.measures()).toEqual([{ kind: 'removeLine', target: 'ana', msgid: '1' }])
  })

  it('show the queue before they take from it', async () => {
    on.room.queue = [{ key: 'bo', value: 'song' }] as typeof on.room.queue
    on.panel.carryOut({ do: 'take' }, { ...seen, queue: false })
    expect([on.panel.tab, on.measures()]).toEqual(['queue', []])
    on.panel.carryOut({ do: 'take' }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'queueTake', key: 'bo' }])
  })

  it('keep the marked line where it was seen, and let it go for the newest of all', () => {
    on.panel.mark(on.panel.rows[1]!)
    expect([on.panel.focused, on.panel.follows]).toEqual(['2', false])
    on.say(9, 'lee')
    on.time.now += 5_000
    expect([on.panel.rows.at(-1)?.key, on.panel.fresh]).toEqual(['4', 1])
    on.press('last')
    expect([on.panel.focused, on.panel.rows.at(-1)?.key, on.panel.follows]).toEqual([null, '9', true])
    expect(on.panel.wish).toEqual({ field: 'newest' })
    // It ends a freeze as well: whoever asks for the newest line wants to see it.
    on.press('freeze')
    on.press('up')
    on.press('last')
    expect([on.panel.focused, on.panel.follows]).toEqual([null, true])
  })

  it('lead from the search into what was found', () => {
    on.panel.openSearch()
    on.panel.search = 'line 2'
    on.panel.enterLog()
    expect([on.panel.focused, on.panel.wish]).toEqual(['2', { field: 'log' }])
  })

  it('spare host and moderators, and delete of them only what the acting account said', async () => {
    for (const key of ['3', '4']) {
      on.panel.focused = key
      on.press('mute')
      on.press('blacklist')
      on.panel.carryOut({ do: 'preset', preset: 0 }, seen)
    }
    on.panel.focused = '3'
    on.press('remove')
    expect([on.measures(), on.panel.asked]).toEqual([[], null])
    on.panel.focused = '4'
    on.press('remove')
    await expect.poll(() => on.measures()).toEqual([{ kind: 'removeLine', target: 'host', msgid: '4' }])
  })

  it('delete a line once, and on the embedded service only', async () => {
    on.panel.focused = '1'
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
    on.panel.focused = '1'
    on.press('search')
    on.press('card')
    on.press('announcement')
    const open = (): boolean[] => [
      on.panel.editing,
      on.panel.shown !== null,
      on.panel.searching,
      on.panel.focused !== null,
    ]
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
    expect(on.panel.second).toBeNull()
    on.panel.focused = '2'
    on.press('second')
    expect(on.panel.second?.msgid).toBe('2')
    on.press('popOut')
    const before = on.panel.wish
    on.press('popOut')
    expect(on.panel.wish).toEqual({ field: 'popOut' })
    expect(on.panel.wish).not.toBe(before)
  })
})

describe('after a measure on the marked line', () => {
  const taken = (count: number): Promise<void> => expect.poll(() => on.room.carried?.turn).toBe(count)

  it.each([
    ['a mute', (): void => on.press('mute')],
    ['a mute for a preset', (): void => on.panel.carryOut({ do: 'preset', preset: 0 }, seen)],
    ['a deletion', (): void => on.press('remove')],
    ['a button of the row or of the card', (): void => on.panel.mute('lee')],
    [
      'a blacklisting',
      (): void => {
        on.press('blacklist')
        inBackground(on.panel.confirm())
      },
    ],
    ['a list of people', (): void => inBackground(on.room.act({ kind: 'ordinary', target: 'lee', on: true }))],
  ])('the log goes on by itself, with the mark on the line: %s', async (_name, measure) => {
    on.panel.mark(on.panel.rows[1]!)
    on.say(9, 'ana')
    expect([on.panel.follows, on.panel.fresh]).toEqual([false, 1])
    measure()
    await taken(1)
    expect([on.panel.follows, on.panel.fresh, on.panel.focused]).toEqual([true, 0, '2'])
  })

  it('the next key is still about that line, as long as it is seen; else it is shown and stays', async () => {
    on.panel.mark(on.panel.rows[1]!)
    on.press('remove')
    await taken(1)
    on.press('mute')
    await taken(2)
    expect(on.measures()).toEqual([
      { kind: 'removeLine', target: 'lee', msgid: '2' },
      { kind: 'temporaryMute', target: 'lee', seconds: 600 },
    ])
    on.panel.carryOut({ do: 'mute' }, { ...seen, marked: false, card: false })
    expect(on.measures()).toHaveLength(2)
    expect([on.panel.wish, on.panel.follows]).toEqual([{ field: 'marked' }, false])
  })

  it.each(['up', 'down'] as const)(
    '%s begins at the newest line once the marked one has left the screen, and beside it while it is there',
    async (key) => {
      on.panel.mark(on.panel.rows[1]!)
      on.press('remove')
      await taken(1)
      on.say(9, 'ana')
      on.panel.carryOut({ do: key }, { ...seen, marked: false })
      expect(on.panel.focused).toBe('9')
      // A line that is marked and was scrolled away stands still: the next one is its neighbour.
      on.panel.mark(on.panel.rows[1]!)
      on.panel.carryOut({ do: key }, { ...seen, marked: false })
      expect(on.panel.focused).toBe(on.panel.rows[key === 'up' ? 0 : 2]!.key)
    },
  )

  it('it stands still while it was frozen on purpose, before or after the mark', async () => {
    on.press('freeze')
    on.panel.mark(on.panel.rows[1]!)
    on.press('mute')
    await taken(1)
    expect([on.panel.frozen, on.panel.follows]).toEqual([true, false])
    on.press('freeze')
    expect(on.panel.follows).toBe(true)
    on.panel.mark(on.panel.rows[1]!)
    on.press('freeze')
    on.press('mute')
    await taken(2)
    expect([on.panel.frozen, on.panel.follows]).toEqual([true, false])
  })

  it('it stands still while the measure is refused, is about somebody else, or was begun before the line was marked', async () => {
    on.panel.mark(on.panel.rows[1]!)
    refused = 403
    on.press('mute')
    await expect.poll(() => on.room.refusals.at(-1)?.failure.code).toBe(403)
    expect(on.panel.follows).toBe(false)
    refused = null
    on.panel.mute('ana')
    await taken(2)
    expect(on.panel.follows).toBe(false)
    on.say(9, 'lee')
    on.press('mute')
    on.panel.mark(on.panel.rows[1]!)
    await taken(3)
    expect([on.panel.follows, on.panel.fresh]).toEqual([false, 1])
  })

  it('a pointer that was used holds the rows under it until it leaves; one that rests beside the keys does not', async () => {
    on.panel.hovered = true
    on.panel.mark(on.panel.rows[1]!)
    on.panel.mute('lee')
    await taken(1)
    expect([on.panel.hovered, on.panel.follows]).toEqual([true, false])
    on.panel.hovered = false
    expect(on.panel.follows).toBe(true)
    on.panel.hovered = true
    on.panel.mark(on.panel.rows[1]!)
    on.press('mute')
    await taken(2)
    expect([on.panel.hovered, on.panel.follows]).toEqual([false, true])
  })
})

describe('letting the mark go', () => {
  it('lets the log go on, but for a freeze on purpose', () => {
    on.panel.mark(on.panel.rows[1]!)
    on.say(9, 'ana')
    on.press('close')
    expect([on.panel.focused, on.panel.follows, on.panel.fresh]).toEqual([null, true, 0])
    on.panel.mark(on.panel.rows[1]!)
    on.press('freeze')
    on.press('close')
    expect([on.panel.focused, on.panel.frozen, on.panel.follows]).toEqual([null, true, false])
    on.press('freeze')
    expect(on.panel.follows).toBe(true)
    // The card of somebody else takes the mark away too.
    on.panel.mark(on.panel.rows[1]!)
    on.panel.show('ana')
    expect([on.panel.focused, on.panel.follows]).toEqual([null, true])
  })
})

describe('the panic key', () => {
  it('mutes the room at once, and again only when it was lifted', async () => {
    on.panel.carryOut({ do: 'panic', on: false }, seen)
    expect(on.measures()).toEqual([])
    on.panel.carryOut({ do: 'panic', on: true }, seen)
    await expect.poll(() => on.measures()).toEqual([{ kind: 'muteRoom', on: true }])
    on.room.apply({ type: 'room', panel: seat({ muted: true }) })
    on.panel.carryOut({ do: 'panic', on: true }, seen)
    on.panel.carryOut({ do: 'panic', on: false }, seen)
    await expect
      .poll(() => on.measures())
      .toEqual([
        { kind: 'muteRoom', on: true },
        { kind: 'muteRoom', on: false },
      ])
  })
})

describe('the log', () => {
  const shown = (): string[] => on.panel.rows.map(({ key }) => key)
  it('stands still while it is frozen and says how many came, and shows them all after', () => {
    on.panel.frozen = true
    on.say(5, 'ana')
    on.say(6, 'lee')
    expect([shown(), on.panel.fresh]).toEqual([['1', '2', '3', '4'], 2])
    on.panel.frozen = false
    expect([shown().at(-1), on.panel.fresh]).toEqual(['6', 0])
  })

  it('stands still under the pointer; freezing there keeps that place', () => {
    on.panel.hovered = true
    on.say(5, 'ana')
    expect([on.panel.fresh, on.panel.follows, on.panel.frozen]).toEqual([1, false, false])
    on.press('freeze')
    on.panel.hovered = false
    expect([on.panel.fresh, on.panel.frozen]).toEqual([1, true])
    on.press('freeze')
    expect([on.panel.fresh, on.panel.follows]).toEqual([0, true])
  })

  it('keeps nothing of one room for another', () => {
    on.panel.focused = '1'
    on.press('card')
    on.press('announcement')
    on.press('search')
    on.panel.search = 'line'
    type('ana', 'why')
    on.panel.text = 'half a'
    on.panel.frozen = true
    on.press('blacklist')
    expect(on.panel.asked).not.toBeNull()
    on.room.roomid = 8
    const { focused, shown: card, editing, searching, search, text, frozen, asked, tab } = on.panel
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
    on.panel.focused = '1'
    on.press('blacklist')
    on.panel.focused = '2'
    inBackground(on.panel.confirm())
    await on.panel.confirm()
    await expect.poll(() => on.panel.asked).toBeNull()
    expect(on.measures()).toEqual([{ kind: 'blacklist', target: 'ana', on: true }])
  })
})

describe('the composer', () => {
  it('sends a line once and unfreezes; what was refused stays written', async () => {
    on.panel.frozen = true
    on.panel.text = '  hello '
    inBackground(on.panel.say())
    await on.panel.say()
    await expect.poll(() => on.panel.saying).toBe(false)
    expect(on.calls('say')).toEqual([{ profileId: 'local', roomid: 7, text: 'hello' }])
    expect([on.panel.text, on.panel.frozen]).toEqual(['', false])
    refused = 13002
    on.panel.text = 'again'
    await on.panel.say()
    expect([on.panel.text, on.panel.sayFailure?.code]).toEqual(['again', 13002])
    on.panel.text = '   '
    await on.panel.say()
    expect(on.calls('say')).toHaveLength(2)
  })

  it('keeps what is written while the app cannot go into the room, and sends it once it is there', async () => {
    on.room.apply({ type: 'room', panel: seat({ phase: 'off' }) })
    refused = 500
    on.panel.text = 'is anybody there'
    await on.panel.say()
    expect([on.panel.text, on.calls('say'), on.room.outside?.code]).toEqual(['is anybody there', [], 500])
    refused = null
    await on.panel.say()
    expect([on.panel.text, on.calls('say'), on.room.outside]).toEqual([
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
      on.room.apply({ type: 'room', panel: now })
      on.panel.text = 'hello'
      await on.panel.say()
      expect(on.calls('enter')).toHaveLength(entries)
      expect(on.calls('say')).toHaveLength(1)
    },
  )
})
