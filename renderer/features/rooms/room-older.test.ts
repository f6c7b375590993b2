import { expect, it, vi } from 'vitest'
import { refusal, roomStage } from '../../testing/room-stage.ts'

interface Ask {
  readonly call: { readonly before?: string | undefined; readonly limit?: number | undefined }
}
/** A history of so many lines, one each ms, the newest first. */
const history = (length: number) => ({
  history: ({ call: { before = 'Infinity', limit = 100 } }: Ask) => ({
    ret: {
      more: Math.min(length, Number(before) - 1) > limit,
      list: Array.from({ length }, (_, index) => length - index)
        .filter((at) => at < Number(before))
        .slice(0, limit)
        .map((at) => ({
          msgid: String(at),
          at,
          from: 'ana',
          type: 0,
          attach: `line ${at}`,
          removed: false,
          nick: 'Ana',
          clientId: `c${at}`,
        })),
    },
  }),
})
const stage = (procedures: Parameters<typeof roomStage>[0]) => {
  const on = roomStage(procedures, 1_000_000)
  return { ...on, open: () => on.room.open(7), log: () => on.room.log.map(({ at }) => at) }
}

it('reads older lines in page by page, each line once, down to the first one', async () => {
  const on = stage(history(1_200))
  expect(on.room.older).toBeNull()
  await on.open()
  expect([on.log().length, on.log()[0], on.room.older]).toEqual([500, 701, 'more'])
  // Two that ask at once ask once.
  await Promise.all([on.room.readOlder(), on.room.readOlder()])
  expect([on.log().length, on.log()[0], on.room.older]).toEqual([1_000, 201, 'more'])
  await on.room.readOlder()
  expect([on.log().length, on.log()[0], on.room.older]).toEqual([1_200, 1, 'first'])
  const asked = on.calls('history').length
  await on.room.readOlder()
  expect([asked, on.calls('history').length, new Set(on.log()).size]).toEqual([3, 3, 1_200])
})

it('knows a short history at once', async () => {
  const on = stage(history(3))
  await on.open()
  expect(on.room.older).toBe('first')
})

it('stops where the page keeps no more lines', async () => {
  const on = stage(history(10_700))
  await on.open()
  for (let page = 0; page < 30 && on.room.older === 'more'; page++) await on.room.readOlder()
  expect([on.room.older, on.log().length, on.log()[0]]).toEqual(['full', 10_000, 701])
})

it('says why a page did not come, and may be asked again', async () => {
  let refused = false
  const whole = history(700)
  const on = stage({
    history: (ask: Ask) => {
      if (refused) throw refusal(501)
      return whole.history(ask)
    },
  })
  await on.open()
  refused = true
  await on.room.readOlder()
  expect([on.room.failure?.code, on.room.older, on.room.readingOlder]).toEqual([501, 'more', false])
  refused = false
  await on.room.readOlder()
  expect(on.room.older).toBe('first')
})

it.each([301, 302, 316, 317, 320])('asks for nothing before a notice %s, which no history has', async (id) => {
  const whole = history(700)
  const slow = Promise.withResolvers<void>()
  const asked: (string | undefined)[] = []
  const on = stage({
    history: async (ask: Ask) => {
      asked.push(ask.call.before)
      if (asked.length === 1) await slow.promise
      return whole.history(ask)
    },
  })
  const opened = on.open()
  const attach = JSON.stringify({
    id,
    data: { operator: 'ana', opeNick: 'Ana', target: ['ana'], tarNick: ['Ana'] },
  })
  const came = { msgid: '0b1c-no-number', at: 1, from: 'ana', fromNick: 'Ana', fromClientType: 'WEB', type: 5, attach }
  on.room.apply({ type: 'roomPush', profileId: 'local', roomid: 7, push: { t: 'roomMessage', roomid: 7, ...came } })
  await vi.waitFor(() => expect([on.room.log[0]?.msgid, on.room.older]).toEqual(['0b1c-no-number', 'more']))
  await on.room.readOlder()
  slow.resolve()
  await opened
  await on.room.readOlder()
  expect(asked).toEqual([undefined, undefined, '201'])
})
