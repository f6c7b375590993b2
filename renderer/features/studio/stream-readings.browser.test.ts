import { describe, expect, it } from 'vitest'
import { computed, ref } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { HoldState } from '../../../contract/rpc/hold.ts'
import type { PushCard } from '../../../contract/rpc/index.ts'
import { makeHold } from '../../testing/fake-hold.ts'
import {
  began,
  channel,
  figures,
  mounted,
  service,
  settled,
  tallies,
  tally,
  type MountOptions,
} from '../../testing/mounted.ts'
import { recordedFile, sentCallback } from '../../testing/recorded-values.ts'
import { useChannels } from '../channels/channels.ts'
import { useStreamReadings } from './stream-readings.ts'

const live = channel(1, { status: 1 })
const other = channel(2, { status: 1 })
const idle = channel(3)
const list = [live, other, idle]
const sample = (second: number) => ({
  at: began + second * 1_000,
  figures: { delay: 1, kbps: 1, fps: 1, dropped: 0, decoded: second, standing: 0 },
})
const since = began - 60_000
const show = async (shown = live, options: MountOptions = {}) => {
  const cid = ref<string | null>(shown.cid)
  let readings: ReturnType<typeof useStreamReadings> | undefined
  const part = {
    setup: () => {
      const channels = useChannels()
      readings = useStreamReadings(
        cid,
        computed(() => (cid.value === null ? undefined : channels.channel(cid.value))),
      )
      return () => null
    },
  }
  const on = await mounted(part, {
    channels: list,
    ...options,
    answers: {
      'recordings.list': () => ({ files: [] }),
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      ...options.answers,
    },
  })
  return { ...on, cid, readings: readings! }
}
const push = (kind: 'started' | 'ended', at: number, detail: string | null = null): AppEvent => ({
  type: 'push',
  profileId: 'local',
  cid: live.cid,
  at,
  kind,
  detail,
  remedy: null,
})
const value = (readings: ReturnType<typeof useStreamReadings>, name: string) =>
  readings.cells.value.find((cell) => cell.name === name)?.value
const check = (readings: ReturnType<typeof useStreamReadings>, name: string) =>
  readings.checks.value.find((each) => each.name === name)

describe('the state of the channel in Studio', () => {
  it('is idle without a channel', async () => {
    const { readings, cid } = await show()
    cid.value = null
    expect([readings.lamp.value, readings.tally.value, readings.isLive.value, readings.log.value]).toEqual([
      'idle',
      null,
      false,
      [],
    ])
  })

  it('is on air by its tally, not while the service is down', async () => {
    const { readings, tell } = await show()
    expect([readings.isLive.value, readings.isKnown.value, readings.lamp.value]).toEqual([true, true, 'live'])
    await tell(service('restarting'))
    expect([readings.isLive.value, readings.isKnown.value]).toEqual([false, false])
  })

  it('is on air but not known while nobody vouches for the tallies', async () => {
    const { readings, tell } = await show()
    await tell({ ...(tallies([tally(live)]) as Extract<AppEvent, { type: 'tallies' }>), fault: 'lost' })
    expect([readings.isLive.value, readings.isKnown.value]).toEqual([true, false])
  })

  it('is disabled by its tally', async () => {
    const { readings, tell } = await show(idle)
    expect(readings.disabled.value).toBe(false)
    await tell(tallies([tally({ ...idle, status: 2 })]))
    expect(readings.disabled.value).toBe(true)
  })

  it('has the time at which a push was lost, until it is back', async () => {
    const { readings, tell } = await show()
    await tell(push('started', since), push('ended', began, 'lost'))
    // Still on air by its tally.
    expect([readings.end.value, readings.lostAt.value]).toEqual([null, null])
    await tell(tallies([tally({ ...live, status: 0 })]))
    expect([readings.end.value?.lost, readings.lostAt.value]).toEqual([true, began])
    await tell(tallies([tally(live)]))
    expect(readings.lostAt.value).toBeNull()
  })

  it('is not healthy while the encoder is lost and its picture held, nor at once when it is back', async () => {
    const { readings, tell, pass } = await show()
    const held = (change: Partial<HoldState>): AppEvent => ({
      type: 'hold',
      profileId: 'local',
      cid: live.cid,
      at: began,
      hold: makeHold(change),
    })
    const verdicts = () => readings.cells.value.slice(0, 3).map(({ verdict }) => verdict)
    await tell(figures(live))
    expect([readings.health.value.word, ...verdicts()]).toEqual(['good', 'good', 'good', 'good'])
    await tell(held({ holding: true, since: began, until: began + 120_000 }))
    await tell(figures(live, { kbps: 3_000 }))
    expect([readings.health.value.word, ...verdicts()]).toEqual(['lost', 'none', 'none', 'none'])
    expect(readings.lostAt.value).toBe(began)
    await pass(2_000)
    await tell(held({ lastHeld: began, lastHeldFor: 2_000 }), figures(live, { kbps: 60, fps: 2 }))
    expect(readings.health.value).toMatchObject({ word: 'unknown', cause: 'settling' })
    await pass(6_000)
    await tell(figures(live))
    expect(readings.health.value.word).toBe('good')
    // By hand the encoder goes on, unless it is lost as well.
    await tell(held({ holding: true, byHand: true, since: began + 8_000 }))
    expect(readings.health.value.word).toBe('good')
    await tell(held({ holding: true, byHand: true, since: began + 8_000, until: began + 200_000 }))
    expect(readings.health.value.word).toBe('lost')
  })

  it('has no lost push of a channel that was stopped or disabled', async () => {
    const { readings, tell } = await show()
    await tell(push('started', since), push('ended', began, 'stopped'), tallies([tally({ ...live, status: 0 })]))
    expect([readings.end.value?.stopped, readings.lostAt.value]).toEqual([true, null])
    await tell(push('ended', began + 1, 'lost'), tallies([tally({ ...live, status: 2 })]))
    expect([readings.end.value?.lost, readings.lostAt.value]).toEqual([true, null])
  })

  it('has the starts of its pushes by log and tally', async () => {
    const { readings, tell } = await show()
    expect(readings.starts.value).toEqual([since])
    await tell(push('started', began - 100_000), push('ended', began - 90_000))
    expect(readings.starts.value).toEqual([began - 100_000, since])
  })
})

describe('the health of the channel in Studio', () => {
  it('is that nothing is on air, that it is measured, then what is measured', async () => {
    const { readings, tell, pass } = await show(idle)
    expect(readings.health.value.cause).toBe('idle')
    await tell(tallies([tally({ ...idle, status: 1 }, { since: began })]), figures(idle))
    expect(readings.health.value).toMatchObject({ word: 'unknown', cause: 'measuring' })
    await pass(5_000)
    await tell(figures(idle))
    expect(readings.health.value).toMatchObject({ word: 'good', cause: null })
  })

  it('begins anew with another channel', async () => {
    const { readings, tell, cid } = await show()
    await tell(figures(live), figures(other, { kbps: 0 }))
    expect(readings.health.value.word).toBe('good')
    cid.value = other.cid
    await settled()
    // Worse words of one channel come into force after 3 s; those of another one at once.
    expect(readings.health.value).toMatchObject({ word: 'poor', cause: 'silent' })
    cid.value = live.cid
    await settled()
    expect(readings.health.value.word).toBe('good')
  })

  it('is not known while nobody vouches for the tallies', async () => {
    const { readings, tell } = await show()
    await tell(figures(live))
    await tell({ ...(tallies([tally(live)]) as Extract<AppEvent, { type: 'tallies' }>), fault: 'lost' })
    expect(readings.health.value).toMatchObject({ word: 'unknown', cause: 'idle' })
  })

  it('is not known of a hosted service, which gives no figures', async () => {
    const { readings } = await show(live, { profile: 'hosted-1' })
    expect(readings.health.value).toMatchObject({ word: 'unknown', cause: 'notGiven' })
  })

  it('shows figures of a push that is known alone, and keeps them as the last ones', async () => {
    const { readings, tell } = await show()
    await tell(figures(live, { kbps: 6_012, viewers: 12 }))
    expect([value(readings, 'kbps'), value(readings, 'viewers')]).toEqual([6_012, 12])
    await tell(service('restarting'))
    expect([value(readings, 'kbps'), value(readings, 'viewers')]).toEqual([null, null])
    expect(readings.cells.value[0]?.last).toBe(6_012)
  })

  it('counts viewers by the tally where the ingest does not', async () => {
    const { readings, tell } = await show()
    await tell(tallies([tally(live, { viewers: 34 })]))
    expect(value(readings, 'viewers')).toBe(34)
  })
})

describe('the preview in the readings', () => {
  it('is kept for 120 samples', async () => {
    const { readings } = await show()
    for (let second = 0; second < 130; second++) readings.sampled(sample(second))
    const points = readings.cells.value.find(({ name }) => name === 'delay')?.points ?? []
    expect([points.length, points[0]?.at, points.at(-1)?.at]).toEqual([120, began + 10_000, began + 129_000])
  })

  type Shown = Awaited<ReturnType<typeof show>>
  it.each([
    [
      'another channel is shown',
      (on: Shown) => {
        on.cid.value = other.cid
        return Promise.resolve()
      },
    ],
    [
      'it plays in another way',
      (on: Shown) => {
        on.readings.kind.value = 'hls'
        return Promise.resolve()
      },
    ],
    ['another push begins', (on: Shown) => Promise.resolve(on.tell(tallies([tally(live, { since: began })])))],
  ])('begins anew when %s', async (_case, happens) => {
    const on = await show()
    on.readings.sampled(sample(1))
    on.readings.played(began, 'flv')
    expect([value(on.readings, 'delay'), check(on.readings, 'preview')?.state]).toEqual([1, 'ok'])
    await happens(on)
    await settled()
    expect([value(on.readings, 'delay'), check(on.readings, 'preview')?.state]).toEqual([null, 'wait'])
  })

  it('has the time of its first picture, not of those after a wait', async () => {
    const { readings } = await show()
    readings.played(began + 1_500, 'flv')
    readings.played(began + 9_000, 'hls')
    expect(check(readings, 'preview')).toMatchObject({ says: 'flv', aside: { after: 1_500 } })
  })

  it('is judged by the way in which it plays', async () => {
    const { readings } = await show()
    const verdict = () => readings.cells.value.find(({ name }) => name === 'delay')?.verdict
    const slow = (at: number) => ({ ...sample(at), figures: { ...sample(at).figures, delay: 5 } })
    readings.sampled(slow(1))
    expect(verdict()).toBe('aside')
    readings.kind.value = 'hls'
    await settled()
    readings.sampled(slow(2))
    expect(verdict()).toBe('good')
  })
})

describe('the go-live check in the readings', () => {
  const card: PushCard = { server: 's', keyStart: 'a', keyEnd: 'b', expires: began - 1 }

  it('has the key of the channel that is shown, not of the one before', async () => {
    const { readings, cid } = await show(idle)
    expect(check(readings, 'accepted')?.says).toBe('wait')
    readings.card.value = card
    expect(check(readings, 'accepted')?.says).toBe('expired')
    cid.value = live.cid
    await settled()
    expect(readings.card.value).toBeNull()
  })

  it('has no line of a recording where none is wished, and one that waits where one is', async () => {
    const wished = channel(4, { needRecord: true })
    const { readings, cid } = await show(idle, { channels: [...list, wished] })
    expect(check(readings, 'slice')).toBeUndefined()
    cid.value = wished.cid
    await settled()
    expect(check(readings, 'slice')).toMatchObject({ state: 'wait' })
  })

  it('has the first file of the push and its callback', async () => {
    const recorded = channel(1, { status: 3, needRecord: true })
    const file = recordedFile(7, { begin: since, end: began - 1_000 })
    const { readings } = await show(recorded, {
      channels: [recorded],
      answers: {
        'recordings.list': () => ({ files: [file] }),
        'recordings.callbacks': () => ({ list: [sentCallback(7)], waiting: 0 }),
      },
    })
    await expect.poll(() => check(readings, 'slice')?.state).toBe('ok')
    expect([check(readings, 'slice')?.aside, check(readings, 'callback')?.state]).toEqual([{ at: began - 1_000 }, 'ok'])
  })

  it('has no line of a recording of a hosted service, and asks it for no files', async () => {
    const recorded = channel(1, { status: 3, needRecord: true })
    const { readings, client } = await show(recorded, { channels: [recorded], profile: 'hosted-1' })
    expect(check(readings, 'slice')).toBeUndefined()
    expect(client.inputs('recordings.list')).toEqual([])
  })

  it('has the frame rate of the push as the encoder declares it', async () => {
    const { readings, tell } = await show()
    await tell(figures(live, { fps: 30, fpsDeclared: 25 }))
    expect(check(readings, 'codecs')?.named['codecs']).toContain('1080p25')
  })
})
