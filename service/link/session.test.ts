import { expect, it } from 'vitest'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import type { Connection } from './connection.ts'
import { createSession } from './session.ts'
import type { LinkStream } from './ports.ts'

type Part = Awaited<ReturnType<LinkStream['since']>>

/** A session whose connection and stream are in memory. */
function made() {
  const said: unknown[] = []
  const parts: ((part: Part) => void)[] = []
  const drained: (() => void)[] = []
  const connection = {
    waiting: 0,
    write: (frame: Buffer) => said.push(frame.toString()),
    say: (object: object) => said.push(object),
    end: (code: number, reason: string) => said.push([code, reason]),
    whenDrained: (call: () => void) => drained.push(call),
  }
  const session = createSession(
    { id: 's', uid: 1, isGuest: false },
    { accid: 'ann', device: 'd', clientType: 'WEB' } as Parameters<typeof createSession>[1],
    connection as unknown as Connection,
    { since: () => new Promise((resolve) => parts.push(resolve)) },
  )
  /** Syncs; `meanwhile` runs while the part is being read. */
  const sync = async (part: Partial<Part>, meanwhile?: () => void): Promise<{ seq: number; more: boolean }> => {
    let answered: Part | undefined
    const synced = session.sync(0, (answer) => void (answered = answer))
    meanwhile?.()
    parts.shift()!({ events: [], seq: 0, more: false, ...part })
    await synced
    return { seq: answered!.seq, more: answered!.more }
  }
  const offer = (seq: number | undefined, text = String(seq)): void => session.offer(Buffer.from(text), seq)
  return { session, connection, drained, sync, offer, take: () => said.splice(0) }
}

it('gets no push before it has read what it missed, then those that came meanwhile, in order', async () => {
  const { sync, offer, take } = made()
  offer(1)
  await sync({ seq: 0 }, () => offer(2))
  expect(take()).toEqual(['1', '2'])
  offer(3)
  expect(take()).toEqual(['3'])
})

it('gets no event a second time that the answer to its sync has', async () => {
  const { sync, offer, take } = made()
  await sync({ seq: 5 }, () => {
    offer(5)
    offer(6)
  })
  offer(6)
  offer(undefined, 'passing')
  expect(take()).toEqual(['6', 'passing'])
})

it('stays behind while there is more to read', async () => {
  const { sync, offer, take } = made()
  expect(await sync({ seq: 100, more: true })).toEqual({ seq: 100, more: true })
  offer(101)
  expect(take()).toEqual([])
  await sync({ seq: 100 })
  expect(take()).toEqual(['101'])
})

it('is asked to read again when more came during its sync than is held for it', async () => {
  const { sync, offer, take } = made()
  expect(
    await sync({ seq: 0 }, () => {
      for (let seq = 1; seq <= 257; seq++) offer(seq)
    }),
  ).toMatchObject({ more: true })
  expect(take()).toEqual([])
  expect(await sync({ seq: 257 })).toMatchObject({ more: false })
  expect(take()).toEqual([])
})

it('is not asked to read again for what is not stored, so that a busy room keeps nobody behind', async () => {
  const { sync, offer, take } = made()
  expect(
    await sync({ seq: 0 }, () => {
      for (let line = 0; line <= 256; line++) offer(undefined, 'line')
    }),
  ).toMatchObject({ more: false })
  expect(take()).toEqual(Array.from({ length: 256 }, () => 'line'))
})

it('that does not read gets no more pushes, and is told where to read on when it has read', async () => {
  const { connection, drained, sync, offer, take } = made()
  await sync({ seq: 0 })
  connection.waiting = linkLimits.queue / 2
  offer(1)
  connection.waiting += 1
  offer(2)
  offer(3)
  expect(take()).toEqual(['1'])
  drained[0]!()
  expect([take(), drained.length]).toEqual([[{ t: 'more', seq: 1 }], 1])
})

it.each([
  ['blocked', linkClose.kicked],
  ['elsewhere', linkClose.kicked],
  ['ended', linkClose.kicked],
  ['closing', 1001],
] as const)('that is kicked is told why, %s, and closed with %i', (reason, code) => {
  const { session, take } = made()
  session.kick(reason)
  expect(take()).toEqual([{ t: 'kicked', reason }, [code, reason]])
})

it('is held 256 pushes while it reads what it missed, all of which come after it', async () => {
  const { sync, offer, take } = made()
  expect(
    await sync({ seq: 0 }, () => {
      for (let seq = 1; seq <= 256; seq++) offer(seq)
    }),
  ).toMatchObject({ more: false })
  expect(take()).toEqual(Array.from({ length: 256 }, (_, index) => String(index + 1)))
})

it('is told to read on by the last push that it got, and gets the rest with its sync', async () => {
  const { connection, drained, sync, offer, take } = made()
  await sync({ seq: 7 })
  connection.waiting = linkLimits.queue / 2 + 1
  offer(8)
  offer(undefined, 'passing')
  drained[0]!()
  expect(take()).toEqual([{ t: 'more', seq: 7 }])
  connection.waiting = 0
  offer(9)
  expect(take()).toEqual([])
  await sync({ seq: 8 })
  expect(take()).toEqual(['passing', '9'])
})

it('reads parts of 100 events of its account behind the number that it says', async () => {
  const asked: unknown[] = []
  const session = createSession(
    { id: 's', uid: 3, isGuest: true },
    { accid: 'ann', device: 'd', clientType: 'WEB', sdkVersion: '9' } as Parameters<typeof createSession>[1],
    {} as Connection,
    {
      since: (request) => {
        asked.push(request)
        return Promise.resolve({ events: [], seq: 5, more: true })
      },
    },
  )
  await session.sync(4, () => undefined)
  expect(asked).toEqual([{ uid: 3, accid: 'ann', after: 4, limit: 100 }])
  expect(session).toMatchObject({ id: 's', uid: 3, isGuest: true, device: 'd', clientType: 'WEB', sdkVersion: '9' })
})
