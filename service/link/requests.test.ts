import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { manualTime, type ManualTime } from '../testing/manual-time.ts'
import type { RawLink } from './testing/raw-client.ts'
import { startRig, type LinkRig } from './testing/rig.ts'

let rig: LinkRig
afterEach(() => rig.close())

/** Frames of one write, which come to the other side in one piece. */
function burst(raw: RawLink, count: number): void {
  const { _socket: socket } = raw.socket as unknown as { _socket: { cork(): void; uncork(): void } }
  socket.cork()
  for (let id = 1; id <= count; id++) raw.socket.send(JSON.stringify({ t: 'friends', id: 1000 + id }))
  socket.uncork()
}

describe('requests of one session that came at once', () => {
  it('have a turn of the event loop between them', async () => {
    const turns: number[] = []
    let turn = 0
    let running = true
    const next = (): void => {
      turn++
      if (running) setImmediate(next)
    }
    rig = await startRig({
      verbs: {
        friends: () => {
          turns.push(turn)
          return { friends: [] } as never
        },
      },
    })
    rig.add('ann')
    const ann = await rig.enter('ann')
    setImmediate(next)
    burst(ann, 150)
    await eventually(() => expect(turns).toHaveLength(150))
    running = false
    expect(new Set(turns).size).toBe(150)
  })

  it('wait when the session has spent its time, and nobody else does', async () => {
    let now = 0
    const time: ManualTime = manualTime()
    const served: string[] = []
    rig = await startRig({
      monotonic: () => now,
      after: time.after,
      verbs: {
        friends: (_parameters, { accid }) => {
          now += 60
          served.push(accid)
          return { friends: [] } as never
        },
      },
    })
    rig.add('ann', 'bob')
    const [ann, bob] = [await rig.enter('ann'), await rig.enter('bob')]
    const of = (accid: string): number => served.filter((one) => one === accid).length
    burst(ann, 40)
    // 200 ms at once and a tenth of what passes: the fourth request takes what is left.
    await eventually(() => expect(of('ann')).toBe(4))
    burst(bob, 3)
    await eventually(() => expect(of('bob')).toBe(3))
    expect(of('ann')).toBe(4)
    now += 10_000
    time.advance(10_000)
    await eventually(() => expect(of('ann')).toBeGreaterThan(4))
    expect(of('ann')).toBeLessThan(10)
  })
})
