import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SequencePosition } from '../events/event.ts'
import { silentLog } from '../log.ts'
import { createMessagingStream } from './stream.ts'
import { message, startStream, teamMessage, textsOf, type StreamRig } from './testing/rig.ts'

let rig: StreamRig
beforeEach(async () => {
  rig = await startStream()
})
afterEach(() => rig.close())

/** A change without rows. */
const inMemory = (apply: () => void) => ({ store: () => Promise.resolve(), apply })

describe('the stream', () => {
  it('gives ascending places, stores, then hands out in order with the place in the frame', async () => {
    const order: string[] = []
    const places = await Promise.all(
      Array.from({ length: 450 }, (_, index) =>
        rig.stream.publish(
          message('ann', 'bob', `m${index}`, { change: ({ seq }) => inMemory(() => order.push(`stored ${seq}`)) }),
        ),
      ),
    )
    expect(places.map(({ seq }) => seq)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1))
    expect(rig.delivered.map(({ seq }) => seq)).toEqual(places.map(({ seq }) => seq))
    expect(rig.delivered[7]!.frame).toMatchObject({ t: 'message', seq: 8, at: rig.clock.now(), body: '{"msg":"m7"}' })
    expect(order[0]).toBe('stored 1')
    expect(rig.stream.committed()).toBe(450)
    const { events } = await rig.stream.since({ uid: 1, accid: 'bob', after: 0, limit: 1000 })
    expect(events.map(({ seq }) => seq)).toEqual(places.map(({ seq }) => seq))
  })

  it('goes on behind the last place after a restart, even when the last event is gone', async () => {
    const { seq } = await rig.stream.publish(message('ann', 'bob', 'one'))
    await rig.store.db.deleteFrom('event').execute()
    await rig.reopen()
    expect(rig.stream.committed()).toBe(seq)
    expect((await rig.stream.publish(message('ann', 'bob', 'two'))).seq).toBe(seq + 1)
  })

  it('tells memory of an event before its receivers, and before the next one', async () => {
    const order: string[] = []
    const stored = (name: string) => (): void => void order.push(`${name} stored, ${rig.delivered.length} delivered`)
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        rig.stream.publish(message('ann', 'bob', name, { change: () => inMemory(stored(name)) })),
      ),
    )
    expect(order).toEqual(['a stored, 0 delivered', 'b stored, 1 delivered', 'c stored, 2 delivered'])
  })

  it('keeps what stands together: an event whose writes fail is not stored, the others of its batch are', async () => {
    const places: Record<string, SequencePosition> = {}
    const publish = async (name: string, fails: boolean): Promise<void> => {
      places[name] = await rig.stream.publish(
        message('ann', 'bob', name, {
          inTransaction: async (transaction, { seq }) => {
            await transaction.insertInto('readMark').values({ uid: 1, accid: name, conversation: 'x', seq }).execute()
            if (fails) throw new Error('no')
          },
        }),
      )
    }
    const outcomes = await Promise.allSettled([publish('good', false), publish('bad', true), publish('fine', false)])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(textsOf(rig.delivered)).toEqual(['good', 'fine'])
    const marks = await rig.store.db.selectFrom('readMark').select(['accid', 'seq']).orderBy('seq').execute()
    expect(marks.map(({ accid, seq }) => [accid, seq])).toEqual([
      ['good', places['good']!.seq],
      ['fine', places['fine']!.seq],
    ])
    expect(textsOf((await rig.stream.since({ uid: 1, accid: 'bob', after: 0, limit: 10 })).events)).toEqual([
      'good',
      'fine',
    ])
  })

  it('stores what an event changes with it, and makes nothing in memory of an event that is not stored', async () => {
    const told: string[] = []
    const publish = (accid: string, fails: boolean) =>
      rig.stream.publish(
        message('ann', 'bob', accid, {
          change: ({ seq }) => ({
            async store(transaction) {
              await transaction.insertInto('readMark').values({ uid: 1, accid, conversation: 'x', seq }).execute()
              if (fails) throw new Error('no')
            },
            apply: () => void told.push(accid),
          }),
        }),
      )
    const outcomes = await Promise.allSettled([publish('good', false), publish('bad', true), publish('fine', false)])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    const marks = await rig.store.db.selectFrom('readMark').select('accid').orderBy('seq').execute()
    expect([told, marks.map(({ accid }) => accid)]).toEqual([
      ['good', 'fine'],
      ['good', 'fine'],
    ])
  })

  it('waits for the writes of an event that fail while the next event is being stored', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      // Each statement ends in a later turn of the event loop, so the failure comes before the batch is through.
      const db = rig.store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => (await setImmediate(), result),
      })
      const memberships = { membershipsOf: () => [] }
      const { clock } = rig
      const stream = await createMessagingStream({ db, clock, log: silentLog, memberships, keep: () => rig.keep })
      const failing = message('ann', 'bob', 'bad', { inTransaction: () => Promise.reject(new Error('no')) })
      const outcomes = await Promise.allSettled([
        stream.publish(failing),
        ...['good', 'fine'].map((text) => stream.publish(message('ann', 'bob', text))),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  it("takes a sender's own id once, at once, later and after a restart; another sender's same id is another", async () => {
    const [first, second] = await Promise.all([
      rig.stream.publish(message('ann', 'bob', 'hi', { idempotencyKey: 'c1' })),
      rig.stream.publish(message('ann', 'bob', 'hi', { idempotencyKey: 'c1' })),
    ])
    await rig.reopen()
    rig.clock.advance(1000)
    const third = await rig.stream.publish(message('ann', 'bob', 'hi', { idempotencyKey: 'c1' }))
    const other = await rig.stream.publish(message('bob', 'ann', 'hello', { idempotencyKey: 'c1' }))
    expect(second).toEqual({ ...first, repeated: true })
    expect(third).toEqual({ ...first, repeated: true })
    expect(other.repeated).toBeUndefined()
    expect(textsOf(rig.delivered)).toEqual(['hi', 'hello'])
  })

  it('refuses what would wait beyond its bound, and takes events again when those before are stored', async () => {
    const bounded = await startStream({ maxWaiting: 3 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => bounded.stream.publish(message('ann', 'bob', `${index}`))),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect((await bounded.stream.publish(message('ann', 'bob', 'next'))).seq).toBe(4)
    expect(textsOf(bounded.delivered)).toEqual(['0', '1', '2', 'next'])
    await bounded.close()
  })

  it('goes on when a receiver throws', async () => {
    rig.delivered.push = () => {
      throw new Error('broken receiver')
    }
    expect(await rig.stream.publish(message('ann', 'bob', 'one'))).toMatchObject({ seq: 1 })
    expect(textsOf((await rig.stream.since({ uid: 1, accid: 'bob', after: 0, limit: 10 })).events)).toEqual(['one'])
  })

  it('hands out nothing more to a receiver that ended, and the same to the others', async () => {
    const first: number[] = []
    const second: number[] = []
    const end = rig.stream.on(({ seq }) => void first.push(seq))
    rig.stream.on(({ seq }) => void second.push(seq))
    await rig.stream.publish(message('ann', 'bob', 'one'))
    end()
    await rig.stream.publish(message('ann', 'bob', 'two'))
    expect([first, second]).toEqual([[1], [1, 2]])
  })

  it('gives a notification its place as its id too, and hands nothing of its writes to receivers', async () => {
    await rig.stream.publish(
      message('ann', 'bob', '', {
        frame: { t: 'notification', scene: 'p2p', from: 'ann', to: 'bob', attach: '{}', push: true, badge: true },
        idempotencyKey: 'c1',
        inTransaction: () => Promise.resolve(),
        change: () => inMemory(() => undefined),
      }),
    )
    await rig.stream.publish(message('ann', 'bob', 'one'))
    expect(rig.delivered[0]!.frame).toMatchObject({ t: 'notification', seq: 1, msgid: 1 })
    expect(rig.delivered[0]).not.toHaveProperty('idempotencyKey')
    expect(rig.delivered[0]).not.toHaveProperty('inTransaction')
    expect(rig.delivered[0]).not.toHaveProperty('change')
    expect(rig.delivered[1]!.frame).not.toHaveProperty('msgid')
  })

  it('takes the same id of a sender again in another application', async () => {
    await rig.stream.publish(message('ann', 'bob', 'ours', { idempotencyKey: 'c1' }))
    const other = await rig.stream.publish(message('ann', 'bob', 'theirs', { uid: 2, idempotencyKey: 'c1' }))
    expect(other.repeated).toBeUndefined()
    expect(textsOf(rig.delivered)).toEqual(['ours', 'theirs'])
  })

  it('tells memory nothing of an event that was sent before', async () => {
    let told = 0
    const event = message('ann', 'bob', 'one', { idempotencyKey: 'c1', change: () => inMemory(() => told++) })
    await rig.stream.publish(event)
    await rig.stream.publish(event)
    expect(told).toBe(1)
  })

  it('keeps applications apart', async () => {
    rig.teams.set('bob', [{ tid: 5, since: 1 }])
    await rig.stream.publish(message('ann', 'bob', 'ours'))
    await rig.stream.publish(message('ann', 'bob', 'theirs', { uid: 2 }))
    await rig.stream.publish(teamMessage('ann', 5, 'team of another', { uid: 2 }))
    expect(textsOf((await rig.stream.since({ uid: 1, accid: 'bob', after: 0, limit: 10 })).events)).toEqual(['ours'])
    const history = await rig.stream.history({
      uid: 2,
      accid: 'bob',
      peer: { scene: 'p2p', accid: 'ann' },
      ascending: true,
      limit: 10,
    })
    expect(textsOf(history)).toEqual(['theirs'])
    expect((await rig.stream.unread(1, 'bob')).total).toBe(1)
    expect(await rig.stream.find(1, 2)).toBeUndefined()
    expect((await rig.stream.find(2, 2))?.sender).toBe('ann')
  })
})
