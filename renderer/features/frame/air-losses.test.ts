import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { Channel } from '../../../contract/rpc/state.ts'
import type { RpcClient } from '../../data/client.ts'
import { makeChannels, makeFigures, makeProfiles, makeService, makeTallies } from '../../testing/fake-state.ts'
import { pictureless, useAirLosses } from './air-losses.ts'
import { useChannels } from '../channels/channels.ts'
import { useCompanion } from '../../data/companion.ts'
import { applyEvent } from '../../events.ts'
import { servicesKey } from '../../data/services.ts'

const begin = 1_700_000_000_000
/** Statuses of the tally (1-live, Rules 1). */
type Status = 0 | 1 | 2 | 3
const stage = async () => {
  const list = makeChannels(begin)
  const [first, second] = list as [Channel, Channel]
  const rpc = { channels: { list: () => Promise.resolve({ channels: list }) } } as unknown as RpcClient
  const app = createApp({})
  let now = begin
  app.provide(servicesKey, { rpc, now: () => now, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  companion.lineIs('open')
  const apply = (event: AppEvent): void => applyEvent(event, pinia, now)
  apply({ type: 'profiles', profiles: makeProfiles('full') })
  apply({ type: 'service', service: makeService(begin, 'full') })
  await useChannels().refresh('local')
  const losses = useAirLosses()
  const told = (
    statuses: readonly [Status | null, Status | null],
    fault: (AppEvent & { type: 'tallies' })['fault'] = null,
  ): void => {
    now += 1_000
    companion.tick()
    const tallies = makeTallies(list, begin, 'full')
      .slice(0, 2)
      .flatMap((tally, index) => {
        const status = statuses[index]
        return status == null ? [] : [{ ...tally, status }]
      })
    apply({ type: 'tallies', profileId: 'local', at: now, source: 'event', fault, tallies })
  }
  const measured = (fps: number, seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      now += 1_000
      apply({
        type: 'figures',
        profileId: 'local',
        cid: first.cid,
        at: now,
        figures: { ...makeFigures(now, 0, 'full'), fps },
      } as AppEvent)
    }
  }
  return {
    first,
    second,
    losses,
    apply,
    told,
    measured,
    seen: () => [...losses.losses.values()].map(({ cid, what, name }) => [cid, what, name]),
  }
}
let on: Awaited<ReturnType<typeof stage>>
beforeEach(async () => {
  on = await stage()
  on.told([1, 1])
})

describe('a channel that is lost while the screen shows another', () => {
  it('is told when it goes off the air, until it is back', () => {
    on.losses.show('local', on.second.cid)
    expect(on.seen()).toEqual([])
    on.told([0, 1])
    expect(on.seen()).toEqual([[on.first.cid, 'offAir', on.first.name]])
    on.told([0, 1])
    expect(on.seen()).toHaveLength(1)
    on.told([3, 1])
    expect(on.seen()).toEqual([])
  })

  it('is told on other screens while another one keeps the title, and not when the title says it', () => {
    on.told([0, 1])
    expect(on.seen()).toHaveLength(1)
    on.told([0, 0])
    expect(on.seen()).toHaveLength(1)
  })

  it('is not told of the one that Studio shows, and no more once Studio shows it', () => {
    on.losses.show('local', on.first.cid)
    on.told([0, 1])
    expect(on.seen()).toEqual([])
    on.told([0, 0])
    expect(on.seen()).toEqual([[on.second.cid, 'offAir', on.second.name]])
    on.losses.show('local', on.second.cid)
    expect(on.seen()).toEqual([])
  })

  it('is not told when it was disabled or deleted, nor on a word that nobody vouches for', () => {
    on.losses.show('local', 'another')
    on.told([2, 1])
    on.told([2, null])
    expect(on.seen()).toEqual([])
    on.told([1, 1])
    on.told([0, 0], 'lost')
    expect(on.seen()).toEqual([])
    // It ended meanwhile.
    on.told([0, 1])
    expect(on.seen()).toHaveLength(1)
  })

  it('is told on every screen but its own when its recording stops, until that goes on', async () => {
    const recording = (state: 'recording' | 'stopped') =>
      on.apply({
        type: 'recording',
        profileId: 'local',
        cid: on.first.cid,
        at: begin,
        recording: { state, reason: null, since: null, bytes: 0, cut: null },
      })
    // It is the only one, whose lamp stands in the title.
    on.told([3, 0])
    on.losses.show('local', on.second.cid)
    on.losses.show(null, null)
    recording('recording')
    recording('stopped')
    await expect.poll(() => on.seen()).toEqual([[on.first.cid, 'notRecorded', on.first.name]])
    recording('recording')
    await expect.poll(() => on.seen()).toEqual([])
    on.losses.show('local', on.first.cid)
    recording('stopped')
    await Promise.resolve()
    expect(on.seen()).toEqual([])
  })

  it('is told when no picture comes for a while, until one comes', async () => {
    on.losses.show('local', on.second.cid)
    on.measured(60, 2)
    on.measured(0, pictureless / 1_000)
    await Promise.resolve()
    expect(on.seen()).toEqual([])
    on.measured(0, 1)
    await expect.poll(() => on.seen()).toEqual([[on.first.cid, 'noPicture', on.first.name]])
    on.measured(60, 1)
    await expect.poll(() => on.seen()).toEqual([])
  })
})
