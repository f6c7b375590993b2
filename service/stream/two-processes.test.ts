import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeOnPostgres } from '../testing/engines.ts'
import { message, startStream, type StreamRig } from './testing/rig.ts'

/** Two streams over one database, as two processes have. */
let rig: StreamRig
let other: Awaited<ReturnType<StreamRig['another']>>
beforeEach(async () => {
  rig = await startStream()
  other = await rig.another()
})
afterEach(() => rig.close())

it('give places of one order, and frames with them', async () => {
  const places = []
  for (const stream of [rig.stream, other.stream, other.stream, rig.stream])
    places.push(await stream.publish(message('ann', 'bob', 'x')))
  expect(places.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  const { frame, at } = (await rig.stream.find(1, 3))!
  expect(JSON.parse(frame)).toMatchObject({ seq: 3, at })
})

it('take a message with one idempotency key once', async () => {
  const event = message('ann', 'bob', 'x', { idempotencyKey: 'c1' })
  const first = await rig.stream.publish(event)
  expect(await other.stream.publish(event)).toEqual({ ...first, repeated: true })
})

describeOnPostgres('at once', () => {
  it('store all events, each in a place of its own, and who reads on from the last misses none', async () => {
    const publishing = { ends: false }
    const seen: number[] = []
    const follow = async (): Promise<void> => {
      for (;;) {
        const { ends } = publishing
        const rows = await rig.store.db
          .selectFrom('event')
          .select('seq')
          .where('seq', '>', seen.at(-1) ?? 0)
          .orderBy('seq')
          .execute()
        seen.push(...rows.map(({ seq }) => seq))
        if (ends) return
      }
    }
    const following = follow()
    // Not in one turn, so that batches of both are of all sizes.
    const publish = async (stream: StreamRig['stream']): Promise<number[]> => {
      const seqs: number[] = []
      await Promise.all(
        Array.from({ length: 20 }, async (_, caller) => {
          for (let number = 0; number < 50; number++)
            seqs.push((await stream.publish(message(`a${caller}`, 'bob', `${number}`))).seq)
        }),
      )
      return seqs
    }
    const seqs = (await Promise.all([publish(rig.stream), publish(other.stream)])).flat()
    publishing.ends = true
    await following
    expect(new Set(seqs).size).toBe(2000)
    expect(seen).toEqual(seqs.toSorted((one, another) => one - another))
  })

  it('take messages with the same idempotency keys once, and fail none of them', async () => {
    const pairs = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const event = message('ann', 'bob', 'x', { idempotencyKey: `c${index}` })
        return Promise.all([rig.stream.publish(event), other.stream.publish(event)])
      }),
    )
    for (const pair of pairs) {
      expect(pair[0].seq).toBe(pair[1].seq)
      expect(pair.filter(({ repeated }) => repeated)).toHaveLength(1)
    }
    expect(await rig.store.db.selectFrom('event').select('seq').execute()).toHaveLength(100)
  })
})
